/// The rows as they were before a version.
///
/// A file's rows are read on a second connection. While the version holds the write lock nobody else commits, so that a
/// snapshot which begins at any time before its commit is the state before its first statement. A database in memory
/// has no second connection: what a statement can change is copied before it runs.
final class BeforeRows {
    private var connection: Connection?
    /// Whether what a statement can change is copied: a file with a rollback journal, too, has one state for all.
    let isCopy: Bool
    private var copied: Set<SQLName> = []

    /// - Parameter core: The connection of the version.
    init(_ core: ConnectionCore) {
        let journal = try? core.ask("PRAGMA main.journal_mode", row: { row in try row[0] as String }).first
        isCopy = !core.isShared || core.attachment.openReader == nil || journal != "wal"
    }

    /// Makes sure that the rows of a table can be read later.
    /// - Parameter former: The table's name before the version.
    func keep(_ table: TableImage, formerly former: SQLName, _ core: ConnectionCore) throws {
        if connection == nil { connection = try isCopy ? Connection.inMemory() : Self.open(core) }
        guard isCopy else {
            try with { connection in
                guard !connection.isInTransaction else { return }
                try connection.begin(.deferred)
                // The first read begins the snapshot.
                _ = try connection.value("SELECT count(*) FROM main.sqlite_schema", as: Int.self)
            }
            return
        }
        guard copied.insert(former).inserted else { return }
        try with { try Self.copy(table, to: former, core, $0) }
    }

    /// Gives the rows up.
    func end() {
        if isCopy {
            connection = nil
            copied = []
        } else {
            // Rolling back a transaction that only read loses nothing.
            try? with { try $0.rollBackIfOpen() }
        }
    }

    /// Where the rows can be read, under the tables' former names.
    func core() throws -> ConnectionCore { try with { $0.core } }

    private func with<Result>(_ body: (borrowing Connection) throws -> Result) throws -> Result {
        switch connection {
        case .some(let connection): try connection.with(rights: .engine) { try body(connection) }
        case nil: throw LockstepError(.misuse, "no rows of before are kept")
        }
    }

    private static func open(_ core: ConnectionCore) throws -> Connection {
        guard let open = core.attachment.openReader else {
            throw LockstepError(.misuse, "the connection cannot be opened a second time")
        }
        return try open()
    }

    private static func copy(
        _ table: TableImage, to name: SQLName, _ core: ConnectionCore, _ copy: borrowing Connection
    ) throws {
        let columns = table.stored.map { SQLTokens.quote($0.name.spelling) }
        let target = SQLTokens.quote(name.spelling)
        // Without types, so that every value stays as it is.
        try copy.execute(SQL(verbatim: "CREATE TABLE \(target) (\(columns.joined(separator: ", ")))"))
        let terms = ([table.rowID].compactMap(\.self) + columns)
        let places = terms.map { _ in "?" }.joined(separator: ", ")
        let list = terms.joined(separator: ", ")
        let insert = try copy.prepare(SQL(verbatim: "INSERT INTO \(target) (\(list)) VALUES (\(places))"))
        let select = SQL(verbatim: "SELECT \(list) FROM main.\(SQLTokens.quote(table.name.spelling))")
        try copy.begin(.immediate)
        _ = try core.ask(select) { row in
            try insert.bind(copying: row, terms.count)
            try insert.runBound()
        }
        try copy.run(.commit)
    }
}
