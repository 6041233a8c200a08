import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A file that proves less than the keyring remembers, the program relies on or the migration set says is refused by
/// every way in, and by `verify`.
@Suite("A file that proves less than it must")
struct SealedTrustTests {
    private let bench: TamperedDatabase
    private let prototype: OperatorPrototype

    init() throws {
        prototype = try OperatorPrototype.finished.get()
        bench = try TamperedDatabase(prototype)
    }

    /// Nothing opens the file for a program, whatever it says, and nothing is written.
    private func expectRefused(
        _ codes: LockstepError.Code..., sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = try Bytes.read(bench.path)
        let ways: [(String, () throws -> Void)] = [
            ("connection", { _ = try bench.open() }),
            ("store", { _ = try bench.openStore() }),
            ("relied", { _ = try bench.openStore(relied: ["film.title"]) }),
            ("first time", { _ = try bench.open(mayBeUnsealed: true) }),
        ]
        for (name, way) in ways {
            do {
                try way()
                Issue.record("\(name): it opened", sourceLocation: sourceLocation)
            } catch let error as LockstepError {
                #expect(codes.contains(error.code), "\(name): \(error)", sourceLocation: sourceLocation)
                #expect(error.hint != nil, "\(name): \(error)", sourceLocation: sourceLocation)
            }
        }
        #expect(try Bytes.read(bench.path) == before, sourceLocation: sourceLocation)
        let report = try bench.verify()
        #expect(report.failed.contains(.registry), "\(report.messages)", sourceLocation: sourceLocation)
    }

    @Test("One table of the registry emptied", arguments: RegistryRows.names)
    func oneTable(_ name: String) throws {
        try bench.tamper("DELETE FROM \(name)")
        try expectRefused(name == EngineTables.datasets ? .registryMissing : .registryForged)
    }

    @Test("One table of the registry dropped", arguments: RegistryRows.names)
    func oneTableDropped(_ name: String) throws {
        try bench.tamper("DROP TABLE \(name)")
        try expectRefused(name == EngineTables.datasets ? .registryMissing : .registryForged)
    }

    @Test("All of it emptied: the error names the columns that the keyring says are sealed") func emptied() throws {
        try bench.tamper(RegistryRows.names.map { "DELETE FROM \($0)" }.joined(separator: ";\n"))
        try expectRefused(.registryMissing)
        let error = try #require(throws: LockstepError.self) { _ = try bench.open() }
        for title in ["credit.role", "film.note", "film.title"] {
            #expect(error.message.contains(title))
        }
        #expect(error.hint?.contains("`Verification` with `fieldKeys`") == true)
    }

    @Test("All of it emptied and the guards dropped, as in the attack")
    func stripped() throws {
        try bench.tamper { connection in try Self.strip(connection) }
        try expectRefused(.registryMissing)
        // Where no keyring remembers anything, the set does.
        var verification = Verification(bench.path, sets: [try OperatorPrototype.set()])
        verification.fieldKeys = [try bench.keys().withoutMemory()]
        let report = try verification.run(keyring: bench.keyring())
        #expect(report.messages.contains { $0.contains("sealed film.title") })
        #expect(report.failed.contains(.registry))
    }

    @Test("Rows put back later: nothing was written meanwhile, and the file is as it was") func putBack() throws {
        try bench.tamper { connection in try Self.strip(connection) }
        Refusal.expect(.registryMissing) { _ = try bench.openStore() }
        try bench.tamper { connection in try prototype.states.last?.write(connection) }
        // The guards are still missing.
        #expect(try bench.verify().failed.contains(.registry))
        let connection = try bench.open()
        let titles = try connection.texts("SELECT title FROM film_open")
        #expect(titles.count == OperatorPrototype.films)
        #expect(titles.allSatisfy { $0?.hasPrefix(OperatorProgram.sealedMarker) == true })
        #expect(try !bench.holds(OperatorProgram.sealedMarker))
    }

    @Test("An older complete registry of this database", arguments: [0, 1, 2, 3])
    func older(_ state: Int) throws {
        try bench.tamper { connection in try prototype.states[state].write(connection) }
        // The newest of them can be what the keyring remembers.
        guard prototype.states[state] != prototype.states.last else {
            _ = try bench.open()
            return
        }
        try expectRefused(.registryOlder, .registryForged)
    }

    @Test("An older registry with a counter that was raised to the newest")
    func raised() throws {
        try bench.tamper { connection in
            try prototype.states[0].write(connection)
            try connection.execute("UPDATE lockstep_dataset SET changes = 1000")
        }
        try expectRefused(.registryForged)
    }

    @Test("Rows of another dataset, as they are and under this one's identifier") func otherDataset() throws {
        try bench.tamper { connection in
            try prototype.otherDataset.registry.write(connection)
        }
        try expectRefused(.registryMissing)
        let dataset = try bench.keys().dataset
        try bench.tamper { connection in
            for table in RegistryRows.names {
                try connection.execute("UPDATE main.\(name: table) SET dataset = ?", dataset)
            }
        }
        try expectRefused(.keyringMismatch, .registryForged)
    }

    @Test("Rows of another dataset beside this one's change nothing")
    func beside() throws {
        try bench.tamper { connection in
            for table in prototype.otherDataset.registry.tables { try table.add(connection) }
        }
        #expect(try bench.verify().isClean)
        #expect(try bench.open().texts("SELECT title FROM film_open").count == 12)
    }

    @Test("The registry of another database of the dataset, with and without its id") func otherDatabase() throws {
        try bench.tamper { connection in
            try prototype.otherDatabase.registry.write(connection)
        }
        try expectRefused(.registryForged)
        let error = try #require(throws: LockstepError.self) { _ = try bench.open() }
        #expect(error.message.contains("another database"))
        try bench.tamper { connection in
            try connection.execute(
                "UPDATE lockstep_keyring SET database = ? WHERE ring = zeroblob(16)", prototype.otherDatabase.id)
        }
        Refusal.expect(.registryMissing) { _ = try bench.open() }
        Refusal.expect(.registryMissing) { _ = try bench.openStore(relied: ["film.title"]) }
        // The cells of this file belong to other columns than the registry's.
        #expect(Set(try bench.verify().failed) == [.freshness, .registry, .cells])
    }

    @Test("A registry of another database that seals less makes nobody write plaintext")
    func otherDatabaseSealingLess() throws {
        try bench.tamper { connection in
            try connection.dropGuards()
            try prototype.otherDatabase.earlier.write(connection)
            try connection.execute(
                "UPDATE lockstep_keyring SET database = ? WHERE ring = zeroblob(16)", prototype.otherDatabase.id)
        }
        Refusal.expect(.registryMissing) { _ = try bench.open() }
        for deed in OperatorProgram.Deed.allCases {
            let program = OperatorProgram(bench: try TamperedDatabase(copying: bench), isCredulous: false)
            _ = try program.run(deed)
            #expect(try !program.hasSpilled(deed), "\(deed)")
        }
    }

    @Test(
        "The database's id removed, replaced and taken from another database",
        arguments: [
            "DELETE FROM lockstep_keyring WHERE ring = zeroblob(16)",
            "UPDATE lockstep_keyring SET database = randomblob(16) WHERE ring = zeroblob(16)",
        ])
    func identity(_ sql: String) throws {
        try bench.tamper(sql)
        try expectRefused(.registryMissing)
    }

    @Test(
        "An id that Lockstep did not write",
        arguments: ["NULL", "x'00'", "zeroblob(16)", "'text'"])
    func impossibleIdentity(_ value: String) throws {
        try bench.tamper("UPDATE lockstep_keyring SET database = \(value) WHERE ring = zeroblob(16)")
        Refusal.expect(.tampered) { _ = try bench.open() }
        #expect(try !bench.verify().isClean)
    }

    @Test("A registry of a former format is refused by name") func formerFormat() throws {
        try bench.tamper("UPDATE lockstep_dataset SET database = NULL")
        try expectRefused(.registryForged)
        let error = try #require(throws: LockstepError.self) { _ = try bench.open() }
        #expect(error.message.contains("not in format 4"))
        try bench.tamper { connection in
            for column in ["database", "earlier", "folded"] {
                try connection.execute("ALTER TABLE main.lockstep_dataset DROP COLUMN \(name: column)")
            }
        }
        try expectRefused(.registryForged)
    }

    @Test(
        "A table that lacks a column, and values of another type, are refused as forged",
        arguments: [
            "ALTER TABLE lockstep_dataset DROP COLUMN changes", "ALTER TABLE lockstep_column DROP COLUMN cursor",
            "ALTER TABLE lockstep_index DROP COLUMN bits", "ALTER TABLE lockstep_field_key RENAME COLUMN version TO v",
            "UPDATE lockstep_dataset SET changes = 'many'",
            "UPDATE lockstep_dataset SET changes = NULL WHERE 0; UPDATE lockstep_dataset SET changes = x'01'",
            "UPDATE lockstep_column SET table_name = x'00'", "UPDATE lockstep_column SET state = 7",
            "UPDATE lockstep_field_key SET commitment = 'text'",
        ])
    func impossible(_ sql: String) throws {
        try bench.tamper(sql.replacing("; ", with: ";\n"))
        try expectRefused(.registryForged)
    }

    // MARK: What the program says

    @Test("A program that relies on a column, without the keys, does not open") func reliedWithoutKeys() throws {
        for path in ["film.title", "FILM.Title"] {
            var options = ConnectionOptions()
            options.sealed = [path]
            Refusal.expect(.keyUnavailable) {
                _ = try Connection.open(bench.path, key: bench.keyring().databaseKey(for: bench.path), options: options)
            }
            var store = StoreOptions()
            store.sealed = [path]
            Refusal.expect(.keyUnavailable) {
                _ = try Store.open(bench.path, rawKey: bench.keyring().databaseKey(for: bench.path), options: store)
            }
        }
    }

    @Test(
        "A program that relies on a column that is not sealed does not open; on one that is, it does"
    )
    func relied() throws {
        for title in ["film.memo", "film.year", "film.nothing", "nothing.title", "title", ""] {
            let error = try #require(throws: LockstepError.self) {
                _ = try bench.open(relied: ["film.title", title])
            }
            #expect(error.code == .registryMissing)
            #expect(error.message.contains("relies on \(title) "))
            Refusal.expect(.registryMissing) { _ = try bench.openStore(relied: [title]) }
            // A column that was sealed once cannot be a first time.
            Refusal.expect(.registryMissing) {
                _ = try bench.open(mayBeUnsealed: true, relied: [title])
            }
        }
        let relied = ["film.title", "Film.NOTE", "credit.role"]
        _ = try bench.open(relied: relied)
        let store = try bench.openStore(relied: relied)
        #expect(try store.blocking.read { try $0.texts("SELECT title FROM film_open").count } == 12)
    }

    @Test("A column that is being sealed counts as sealed: new values in it are") func reliedInTransit() throws {
        let migrating = try TamperedDatabase(OperatorPrototype.migrating.get())
        _ = try migrating.open(relied: ["credit.fee"])
        Refusal.expect(.registryMissing) { _ = try bench.open(relied: ["credit.fee"]) }
    }

    @Test(
        "Before anything was ever sealed, a program can rely on a column only if it says that this is the first time"
    )
    func firstTime() throws {
        let scratch = try DatabaseScratch()
        try scratch.create().execute("CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT)")
        var options = ConnectionOptions()
        options.fieldKeys = [try Rings.make(.fields).fieldKeys()]
        Refusal.expect(.registryMissing) { _ = try scratch.open(options) }
        options.sealed = ["film.title"]
        Refusal.expect(.registryMissing) { _ = try scratch.open(options) }
        options.mayBeUnsealed = true
        let connection = try scratch.open(options)
        // Until it is sealed, the table is read under its own name.
        #expect(try connection.readable("film").text == "\"film\"")
    }
}

extension SealedTrustTests {
    static func strip(_ connection: borrowing Connection) throws {
        try connection.dropGuards()
        for table in RegistryRows.names {
            try connection.execute("DELETE FROM main.\(name: table)")
        }
    }
}
