import ArgumentParser
import Lockstep

/// `lockstep migrate --abandon`: gives up a version that was begun but not finished.
struct Abandonment {
    let version: MigrationVersion
    /// The set's name, if one was given.
    let set: String?
    /// The maximum wait for the write lock.
    let seconds: Int

    func run(on connection: borrowing Connection, _ format: OutputFormat) throws {
        let unfinished = try Ledger.unfinished(connection)
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
        switch format {
        case .json:
            try Output.json(
                [
                    "set": one.set, "version": "\(one.version)", "name": one.name,
                    "direction": one.isUp ? "up" : "down",
                ] as JSONObject)
        case .text: show(one)
        }
        for column in try connection.sealedColumns where column.state != .sealed {
            let next =
                column.state == .resealing
                ? "`lockstep reseal`" : "`lockstep seal` or `lockstep unseal`"
            Output.note(
                "notice: the change of \(column.table).\(column.name) is not finished: "
                    + "\(next) continues it")
        }
    }

    private func show(_ one: UnfinishedMigration) {
        Output.line("gave up \(one.set) \(one.version) \(one.name): what has run of it stays")
        Output.line(
            one.isUp
                ? "`lockstep migrate` begins it again with its first statement"
                : "it counts as applied; `lockstep rollback` begins its way down again")
    }
}
