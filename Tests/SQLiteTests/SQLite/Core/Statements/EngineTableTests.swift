import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// The engine's tables as the operator makes them.
struct EngineTableTests {
    /// What reads each of them first.
    private static let readers: [String: @Sendable (borrowing Connection) throws -> Void] = [
        EngineTables.ledger: { _ = try Ledger.entries($0) }, EngineTables.epochs: { _ = try KeyringTable.read($0) },
        EngineTables.progress: { _ = try Ledger.history($0) }, EngineTables.repeatables: { _ = try Ledger.history($0) },
        EngineTables.repairs: { _ = try Ledger.repairs($0) },
        EngineTables.datasets: { _ = try RegistryTables.read(CellWorkbench.keys(), $0) },
        EngineTables.columns: { _ = try RegistryTables.claimed($0) },
        EngineTables.indexes: {
            _ = try $0.rows(of: .indexes, with: .blob(CellWorkbench.keys().dataset))
        },
        EngineTables.fieldKeys: { _ = try EngineTables.exists(EngineTables.fieldKeys, $0) },
        EngineTables.manifests: { _ = try Manifest.stored(in: $0) },
    ]

    private static let abuses = [
        "CREATE VIRTUAL TABLE NAME USING fts5(a, b)", "CREATE VIRTUAL TABLE NAME USING rtree(a, b, c)",
        """
        CREATE TABLE NAME (a, b);
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 65537)
        INSERT INTO NAME SELECT i, 'x' FROM n
        """,
        """
        CREATE TABLE NAME (a PRIMARY KEY, b) WITHOUT ROWID;
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 65537)
        INSERT INTO NAME SELECT i, NULL FROM n
        """,
        "CREATE TABLE NAME (a, b); INSERT INTO NAME VALUES (1, zeroblob(67108865))",
        """
        CREATE TABLE NAME (a, b);
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 65)
        INSERT INTO NAME SELECT zeroblob(500000), zeroblob(600000) FROM n
        """,
    ]

    @Test("Every one of them has a reader here") func all() {
        #expect(Set(Self.readers.keys) == Set(EngineTables.names))
    }

    @Test(
        "A virtual table, too many rows and too many bytes are refused before any row is read",
        arguments: EngineTables.names, abuses)
    func abuse(_ name: String, _ abuse: String) throws {
        let connection = try Connection.inMemory()
        try connection.with(rights: .engine) {
            try connection.run(script: abuse.replacing("NAME", with: name))
        }
        let read = try #require(Self.readers[name])
        let error = try #require(throws: LockstepError.self) { try read(connection) }
        #expect(error.code == .tampered && error.message.contains(name), "\(error)")
        #expect(error.hint != nil)
    }

    @Test("A view is no table", arguments: EngineTables.names)
    func view(_ name: String) throws {
        let connection = try Connection.inMemory()
        try connection.with(rights: .engine) {
            try connection.execute("CREATE VIEW \(name: name) AS SELECT 1 AS dataset")
        }
        #expect(try !EngineTables.exists(name, connection))
    }

    @Test("As many rows and bytes as there can be are read, and the connection's own limit stays") func most() throws {
        let connection = try Connection.inMemory()
        connection.setLimit(.valueLength, 100_000_000)
        try connection.with(rights: .engine) {
            try connection.run(
                script: """
                    CREATE TABLE lockstep_manifest (dataset BLOB PRIMARY KEY NOT NULL, text TEXT NOT NULL) WITHOUT ROWID;
                    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 65536)
                    INSERT INTO lockstep_manifest SELECT CAST(printf('%016d', i) AS BLOB), 'x' FROM n;
                    """)
        }
        #expect(try ManifestTable.datasets(connection).count == 65_536)
        #expect(try connection.value("SELECT length(zeroblob(99000000))", as: Int.self) == 99_000_000)
    }
}
