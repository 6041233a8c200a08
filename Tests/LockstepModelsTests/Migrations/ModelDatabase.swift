import Lockstep
import LockstepModels

/// A model's schema in memory, with rows at version 1 like those of the original programs.
struct ModelDatabase: ~Copyable {
    let connection: Connection
    private let migrator: Migrator

    init(_ name: String, _ rows: [String]) throws {
        let connection = try Connection.inMemory(ModelKeys.options())
        let migrator = Migrator(try ModelMigrations.set(name))
        _ = try migrator.run(.version(MigrationVersion(1)), on: connection)
        for row in rows { try connection.execute(SQL(verbatim: row)) }
        self.connection = connection
        self.migrator = migrator
    }

    func migrate(to version: UInt64? = nil) throws {
        _ = try migrator.run(version.map { .version(MigrationVersion($0)) } ?? .latest, on: connection)
    }

    /// Rows as text, columns separated by bars, NULL as a dash. Runs in a transaction, since only a new transaction
    /// notices what a migration has sealed.
    func rows(_ sql: String) throws -> [String] {
        try connection.read { connection in try Self.rows(sql, connection) }
    }

    private static func rows(
        _ sql: String, _ connection: borrowing Connection
    ) throws -> [String] {
        try connection.query(SQL(verbatim: sql)) { row in
            try (0..<row.count).map { index in
                switch try row[index] as Value {
                case .null: "-"
                case .integer(let number): "\(number)"
                case .real(let number): "\(number)"
                case .text(let text): text
                case .blob(let bytes): "\(bytes.count) bytes"
                }
            }.joined(separator: "|")
        }
    }
}
