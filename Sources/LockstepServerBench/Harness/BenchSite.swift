import FoundationEssentials
import Lockstep
import LockstepPostgres
import SystemPackage

/// The server, the folder and the sizes of a run: what all its processes share.
struct BenchSite: Sendable {
    let address: ServerAddress
    let url: String
    let folder: FilePath
    let rows: Int
    let lookups: Int
    let migrations: Int

    init(url: String, folder: FilePath, rows: Int, lookups: Int, migrations: Int) throws {
        address = try ServerAddress(url)
        (self.url, self.folder) = (url, folder)
        (self.rows, self.lookups, self.migrations) = (rows, lookups, migrations)
    }

    // MARK: Files

    /// The encrypted file whose rows are copied.
    var source: FilePath { folder.appending("source.db") }
    /// One with a fifth of its rows.
    var fifth: FilePath { folder.appending("fifth.db") }
    /// Its rows in COPY's binary format.
    var cellsFile: FilePath { folder.appending("cells.copy") }
    /// Migrations for Lockstep and for alembic.
    var migrationsFolder: FilePath { folder.appending("migrations") }
    var alembicFolder: FilePath { folder.appending("alembic") }

    // MARK: Keys

    private func keyring(_ purpose: KeyringPurpose) throws -> Keyring {
        let file = KeyringFile(folder.appending("\(purpose.rawValue).keyring"))
        // It protects nothing: the rows are public.
        let bytes = [UInt8](repeating: 0x5A, count: 32)
        if !file.exists {
            var keyring = try Keyring.create(purpose)
            try keyring.addSlot("bench", Credential.keyFile(SecretBytes(copying: bytes.span)))
            try file.create(keyring)
        }
        return try file.open { _ in
            try Credential.keyFile(SecretBytes(copying: bytes.span))
        }
    }

    func databaseKey() throws -> DatabaseKey { try keyring(.database).activeDatabaseKey() }

    func fieldKeys() throws -> FieldKeys { try keyring(.fields).fieldKeys(named: "bench") }

    // MARK: Connections

    func connect(_ schema: String?, sealed: Bool) throws -> ServerConnection {
        var options = ServerOptions()
        options.schema = schema
        if sealed {
            options.fieldKeys = [try fieldKeys()]
            options.mayBeUnsealed = true
            options.mayBeUnknown = true
        }
        return try ServerConnection(address, .none, options)
    }

    // MARK: The table

    static let columns = ["id", "a", "b", "c", "d", "ratio", "first", "second", "bytes"]

    static func set(_ engine: DatabaseEngine) throws -> MigrationSet {
        try MigrationSet(
            name: "bench",
            files: [
                (
                    "0001_record.sqlite.sql",
                    """
                    -- lockstep: up
                    CREATE TABLE record (id INTEGER PRIMARY KEY, a INTEGER NOT NULL, b INTEGER NOT NULL,
                        c INTEGER NOT NULL, d INTEGER NOT NULL, ratio REAL NOT NULL, first TEXT,
                        second TEXT, bytes BLOB);
                    """
                ),
                (
                    "0001_record.postgres.sql",
                    """
                    -- lockstep: up
                    CREATE TABLE record (id bigint PRIMARY KEY, a bigint NOT NULL, b bigint NOT NULL,
                        c bigint NOT NULL, d bigint NOT NULL, ratio double precision NOT NULL, first text,
                        second text, bytes bytea);
                    -- lockstep: plaintext record.*
                    """
                ),
                (
                    "0002_protection.sql",
                    """
                    -- lockstep: up
                    -- lockstep: protect record.first dataset=bench index=exact:128
                    -- lockstep: protect record.second dataset=bench
                    -- lockstep: protect record.bytes dataset=bench
                    """
                ),
            ], engine: engine)
    }
}

extension Record {
    /// The values in the order of the table's columns.
    var values: [Value] {
        [
            .integer(id), .integer(a), .integer(b), .integer(c), .integer(d), .real(ratio),
            .text(first), .text(second), .blob(bytes),
        ]
    }
}
