import ArgumentParser
import Lockstep

/// `lockstep migrate --abandon`: gives up a version that was begun but not finished.
struct Abandonment {
    let version: MigrationVersion
    let migrations: MigrationOptions
    /// The maximum wait for the write lock.
    let seconds: Int

    func run(on connection: borrowing Connection, _ format: OutputFormat) throws {
        let unfinished = try Ledger.unfinished(connection)
        let set = migrations.set
        let found = unfinished.filter { $0.version == version && $0.set == set ?? $0.set }
        guard let one = found.first else {
            let begun = unfinished.map { "\($0.set) \($0.version)" }.joined(separator: ", ")
            throw LockstepError(
                .notFound, "version \(version)" + (set.map { " of \($0)" } ?? "") + " is not begun",
                hint: begun.isEmpty
                    ? "no version of this database is: `lockstep status` lists the applied ones"
                    : "begun but not finished: \(begun)")
        }
        guard found.count == 1 else {
            let sets = found.map(\.set).joined(separator: " and ")
            throw ValidationError("version \(version) is begun in \(sets): name the set with --set")
        }
        try one.abandon(on: connection, timeout: .seconds(seconds))
        let remains = remains(of: one, connection)
        switch format {
        case .json:
            try Output.json(
                [
                    "set": one.set, "version": "\(one.version)", "name": one.name,
                    "direction": one.isUp ? "up" : "down",
                    "remains": remains?.map { difference in
                        ["change": difference.change.rawValue, "type": difference.type, "name": difference.name]
                    },
                ] as JSONObject)
        case .text: show(one, remains)
        }
        for column in try connection.sealedColumns where column.state != .sealed {
            let next = column.state == .resealing ? "`lockstep reseal`" : "`lockstep seal` or `lockstep unseal`"
            Output.note(
                "notice: the change of \(column.table).\(column.name) is not finished: " + "\(next) continues it")
        }
    }

    /// Nil if the files of the applied versions are not at hand, or do not run: the version is given up all the same.
    private func remains(
        of one: UnfinishedMigration, _ connection: borrowing Connection
    ) -> [SchemaSnapshot.Difference]? {
        do {
            guard let sets = try migrations.setsIfAny() else { return nil }
            return try one.remains(on: connection, sets: sets)
        } catch {
            let why = (error as? LockstepError)?.message ?? "\(error)"
            Output.note("notice: what stays is not known: \(why)")
            return nil
        }
    }

    private func show(_ one: UnfinishedMigration, _ remains: [SchemaSnapshot.Difference]?) {
        Output.line("gave up \(one.set) \(one.version) \(one.name): what has run of it stays")
        for difference in remains ?? [] {
            Output.line("  \(difference.type) \(difference.name) is \(difference.change.rawValue)")
        }
        guard one.isUp else {
            Output.line("it counts as applied; `lockstep rollback` begins its way down again")
            return
        }
        Output.line("`lockstep migrate` begins it again with its first statement")
        guard let made = remains?.first(where: { $0.change == .unexpected }) else {
            if remains == nil {
                Output.line("`lockstep verify -m FOLDER` names what stays in the schema")
            }
            return
        }
        Output.line(
            "let its file first drop what stays, as in `DROP \(made.type.uppercased()) IF EXISTS …;`; or do the "
                + "rest of it by hand, and record it with `lockstep baseline --at \(one.version)`")
    }
}
