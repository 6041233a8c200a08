import SystemPackage
import TestSupport

@testable import Lockstep

/// The work of programs and commands that have the fields keyring. Whatever an operator has done to the file, none of
/// them writes plaintext of a sealed column to it.
struct OperatorProgram {
    /// The beginning of every value to be sealed.
    static let sealedMarker = "SEALED~"
    /// The beginning of notes, which one of the deeds unseals.
    static let noteMarker = "NOTED~"

    enum Deed: CaseIterable, Sendable {
        /// Through the view, on a connection.
        case write
        /// Like the model stores: a store that is held to the migration set.
        case importing
        /// A program that declares what it relies on.
        case relying
        /// `lockstep migrate` with one version that seals another column, and an import after it.
        case migrate
        /// `lockstep seal` of another column.
        case protect
        /// `lockstep reseal` under a newer field key.
        case reseal
        /// `lockstep unseal` of one column, which writes that column's plaintext on request.
        case unprotect
    }

    /// The refusals on the way.
    private final class Refusals {
        private(set) var list: [LockstepError] = []

        /// Continues after a Lockstep error.
        func attempt(_ body: () throws -> Void) throws {
            do {
                try body()
            } catch let error as LockstepError {
                list.append(error)
            }
        }
    }

    let bench: TamperedDatabase
    /// Whether to skip the checks that compare the file with the keyring, the set and the program: the negative
    /// control.
    let isCredulous: Bool

    /// Runs the deed as far as possible.
    /// - Returns: The refusals.
    func run(_ deed: Deed) throws -> [LockstepError] {
        let refusals = Refusals()
        switch deed {
        case .write:
            try refusals.attempt {
                let connection = try open()
                for work in works { try refusals.attempt { try connection.write(work) } }
            }
        case .importing: try importing(OperatorPrototype.set(), refusals)
        case .relying:
            try refusals.attempt {
                let relied = isCredulous ? [] : ["film.title", "credit.role"]
                let store = try bench.openStore(
                    keys(), mayBeUnsealed: isCredulous, relied: relied)
                for work in works { try refusals.attempt { try store.blocking.write(work) } }
            }
        case .migrate:
            try refusals.attempt { try migrate() }
            // After a failure nothing more is sealed.
            let isGrown = refusals.list.isEmpty
            try importing(OperatorPrototype.set(isGrown: isGrown), refusals)
        case .protect:
            try refusals.attempt {
                let connection = try open()
                try connection.protect("memo", of: "film", keys: keys())
                for work in works + [memo] { try refusals.attempt { try connection.write(work) } }
            }
        case .reseal: try refusals.attempt { try reseal(refusals) }
        case .unprotect:
            try refusals.attempt {
                let connection = try open()
                try refusals.attempt { try connection.unprotect("note", of: "film", keys: keys()) }
                for work in works { try refusals.attempt { try connection.write(work) } }
            }
        }
        return refusals.list
    }

    /// Whether plaintext of a sealed column is in the file.
    func hasSpilled(_ deed: Deed) throws -> Bool {
        if try bench.holds(Self.sealedMarker) { return true }
        return try deed != .unprotect && bench.holds(Self.noteMarker)
    }

    // MARK: Pieces

    private func keys() throws -> FieldKeys {
        let keys = try bench.keys()
        return isCredulous ? keys.withoutMemory() : keys
    }

    private func open(mayBeUnsealed: Bool = false) throws -> Connection {
        try bench.open(keys(), mayBeUnsealed: mayBeUnsealed || isCredulous)
    }

    private func importing(
        _ set: MigrationSet, _ refusals: Refusals
    ) throws {
        try refusals.attempt {
            let store = try bench.openStore(keys(), mayBeUnsealed: isCredulous)
            if !isCredulous { try store.blocking.requireSealed(by: set) }
            let more = set.files.count > 3 ? [memo] : []
            for work in works + more { try refusals.attempt { try store.blocking.write(work) } }
        }
    }

    /// Like the command, which also makes file and keyrings remember each other.
    private func migrate() throws {
        var keyring = try bench.keyring()
        try keyring.bind(open(mayBeUnsealed: true), in: bench.keyringFile)
        let connection = try open(mayBeUnsealed: true)
        _ = try Migrator(OperatorPrototype.set(isGrown: true)).run(on: connection)
        guard !isCredulous else { return }
        var fields = try bench.fields()
        try bench.fieldsFile.remember(&fields, sealedIn: connection)
    }

    private func reseal(_ refusals: Refusals) throws {
        var fields = try bench.fields()
        try fields.addKey(.field, state: .pending)
        try fields.setState(.field, version: 2, to: .active)
        let newer = try fields.fieldKeys(named: "films")
        let keys = isCredulous ? newer.withoutMemory() : newer
        let connection = try bench.open(keys, mayBeUnsealed: isCredulous)
        try refusals.attempt { try connection.reseal("title", of: "film", keys: keys) }
        try refusals.attempt { try connection.reseal("note", of: "film", keys: keys) }
        for work in works { try refusals.attempt { try connection.write(work) } }
    }

    private typealias Work = (borrowing Connection) throws -> Void

    private var works: [Work] {
        let fee = bench.isMigrating ? "\(Self.sealedMarker)new fee" : "a fee"
        return [
            { connection in
                let film = try connection.readable("film")
                try connection.execute(
                    """
                    INSERT INTO \(film) (title, note, year)
                    VALUES (\("\(Self.sealedMarker)a new title"), \("\(Self.noteMarker)new"), 1999)
                    """)
            },
            { connection in
                let film = try connection.readable("film")
                try connection.execute(
                    """
                    UPDATE \(film) SET title = \("\(Self.sealedMarker)another title"),
                        note = \("\(Self.noteMarker)other")
                    WHERE id = (SELECT max(id) FROM \(film))
                    """)
            },
            { connection in
                let credit = try connection.readable("credit")
                try connection.execute(
                    """
                    INSERT INTO \(credit) (film, place, role, fee)
                    VALUES (1, 77, \("\(Self.sealedMarker)a new role"), \(fee))
                    """)
            },
        ]
    }

    private var memo: Work {
        { connection in
            let film = try connection.readable("film")
            try connection.execute("UPDATE \(film) SET memo = \("\(Self.sealedMarker)a new memo") WHERE id < 4")
        }
    }
}
