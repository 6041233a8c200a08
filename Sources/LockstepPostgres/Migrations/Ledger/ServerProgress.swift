internal import Lockstep

// Versions in progress: the table lockstep_unfinished
// ===================================================
//
// The table contains only versions without a transaction of their own, between their first statement and their last.
//
//   set, version     identify the migration; together unique
//   name, checksum_bytes, checksum_text, checksum_tokens, down     as in the ledger, of the file that was started
//   is_up            true if it is being applied, false if it is being undone
//   statements       how many of its statements have run
//   has_begun        whether the next one, which runs outside a transaction, was begun
//   started_at       microseconds since 1970-01-01T00:00:00Z

/// How far a version without a transaction of its own has come on a server.
struct ServerProgress {
    var unfinished: UnfinishedMigration
    /// Whether the statement after those that have run was begun.
    var hasBegun: Bool
}

extension StoredTable {
    fileprivate static let unfinished = StoredTable(
        ServerProgressTable.table,
        begun + [
            .init("statements", .integer), .init("has_begun", .flag), .init("started_at", .integer),
        ], key: ["set", "version"], order: ["started_at"]
    ) { what in
        LockstepError(
            .tampered, "the server's progress table contains \(what)", hint: "restore the database from a backup")
    }
}

/// Reads and writes the progress of versions on a server.
struct ServerProgressTable {
    static let table = "lockstep_unfinished"

    let schema: String

    /// - Throws: `LockstepError.Code.tampered` for a row that Lockstep did not write.
    func all(_ connection: borrowing ServerConnection) throws -> [ServerProgress] {
        try Self.all(ServerTables(schema, connection))
    }

    static func all(_ store: borrowing ServerTables) throws -> [ServerProgress] {
        let found = try (store.rows(of: .unfinished, with: nil) ?? []).map { row in
            let statements: Int64 = try row[8]
            guard statements >= 0, statements < Int32.max else {
                throw StoredTable.unfinished.invalid("an invalid number of statements")
            }
            return ServerProgress(
                unfinished: UnfinishedMigration(
                    set: try row[0], version: try row.version(1), name: try row[2], isUp: try row[7],
                    startedAt: try row[10], checksums: try row.checksums(3), down: try row[6],
                    statements: Int(statements)), hasBegun: try row[9])
        }
        try LedgerRows.requireOneEach(found.map(\.unfinished), in: .unfinished)
        return found
    }

    /// Notes how far a version has come, in the open transaction.
    /// - Parameter last: What was noted before; nil for the version's first note.
    /// - Throws: `LockstepError.Code.busy` if somebody else has noted something since.
    func note(
        _ progress: ServerProgress, after last: ServerProgress?,
        _ connection: borrowing ServerConnection
    ) throws {
        let store = ServerTables(schema, connection)
        let one = progress.unfinished
        if let last {
            try Self.erase(last.unfinished, [("has_begun", .integer(last.hasBegun ? 1 : 0))], store)
        } else {
            try store.make(.unfinished)
        }
        try store.insert(
            LedgerRows.values(one) + [
                .integer(Int64(one.statements)), .integer(progress.hasBegun ? 1 : 0), .integer(one.startedAt),
            ], into: .unfinished)
    }

    /// Removes the row of a version, in the open transaction.
    func erase(_ one: UnfinishedMigration, _ connection: borrowing ServerConnection) throws {
        try Self.erase(one, [], ServerTables(schema, connection))
    }

    private static func erase(
        _ one: UnfinishedMigration, _ more: [(column: String, value: Value)], _ store: borrowing ServerTables
    ) throws {
        let row: [(column: String, value: Value)] = [
            ("set", .text(one.set)), ("version", .text(one.version.description)),
            ("statements", .integer(Int64(one.statements))),
        ]
        guard try store.delete(from: .unfinished, where: row + more) == 1 else {
            throw LockstepError(
                .busy, "another runner has gone on with \(one.set) \(one.version) meanwhile",
                hint: "run it again: it continues where that stopped")
        }
    }
}
