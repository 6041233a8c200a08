import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct ColumnRegistryTests {
    let keys: FieldKeys
    var registry: ColumnRegistry

    init() throws {
        keys = try CellWorkbench.keys(retired: [1], destroyed: [2])
        registry = ColumnRegistry(keys)
        let title = try registry.add("title", of: "movie", mode: .random, padding: .none)
        try registry.move(title.id, to: .migrating)
        try registry.advance(title.id, to: 17)
        let url = try registry.add(
            "url", of: "movie", mode: .deterministic, padding: .multiple(of: 32),
            indexes: [.init(.exact), .init(.prefix(3), bits: 16)], indexKey: 2)
        try registry.move(url.id, to: .migrating)
        try registry.move(url.id, to: .sealed)
    }

    /// A database that holds the registry.
    private func stored() throws -> Connection {
        let connection = try Connection.inMemory()
        var registry = registry
        try connection.with(rights: .engine) {
            try RegistryTables.write(&registry, keys, connection)
        }
        return connection
    }

    private func change(_ sql: String, _ connection: borrowing Connection) throws {
        try connection.with(rights: .engine) { try connection.run(script: sql) }
    }

    private func read(_ connection: borrowing Connection) throws -> ColumnRegistry? {
        try RegistryTables.read(keys, connection)
    }

    @Test("the columns are read as they were written, and each change is counted")
    func roundTrip() throws {
        let connection = try stored()
        var registry = try #require(try read(connection))
        #expect(registry.columns == self.registry.columns)
        #expect(registry.changes == 1)
        #expect(registry.columns.map(\.id) == [1, 2])
        #expect(registry.column("TITLE", of: "Movie")?.cursor == 17)
        try registry.move(1, to: .sealed)
        try connection.with(rights: .engine) {
            try RegistryTables.write(&registry, keys, connection)
        }
        #expect(try read(connection) == registry)
        #expect(registry.changes == 2)
    }

    @Test(
        "a later field key is recorded, and a different one with the same number is reported"
    )
    func laterKey() throws {
        let connection = try stored()
        let newer = try CellWorkbench.keys(active: 4, retired: [1, 3], destroyed: [2])
        var registry = try #require(try RegistryTables.read(newer, connection))
        try connection.with(rights: .engine) {
            try RegistryTables.write(&registry, newer, connection)
        }
        let versions = try connection.query(
            "SELECT version FROM lockstep_field_key ORDER BY version"
        ) { row in try row[0] as Int }
        #expect(versions == [1, 2, 3, 4])
        // As if a restored keyring had got a version 4 of its own.
        let bytes = CellWorkbench.indexKey
        let own = FieldKeys.Key(
            state: .active, commitment: [UInt8](repeating: 1, count: 32),
            secret: SharedSecret(try SecretBytes(copying: bytes.span)))
        let forked = FieldKeys(
            dataset: CellWorkbench.dataset, active: 4, keys: [4: own], index: try CellWorkbench.indexKeys())
        Refusal.expect(.keyringMismatch) { _ = try RegistryTables.read(forked, connection) }
    }

    @Test("a database that knows nothing of the dataset says so")
    func unknown() throws {
        #expect(try RegistryTables.read(keys, Connection.inMemory()) == nil)
        let other = try CellWorkbench.keys(dataset: [UInt8](repeating: 9, count: 16))
        #expect(try RegistryTables.read(other, stored()) == nil)
    }

    @Test("columns keep their numbers: through other states, new names, and others in their place")
    func numbers() throws {
        var registry = registry
        try registry.rename(1, to: "name", of: "film")
        #expect(registry.column("title", of: "movie") == nil)
        #expect(registry.column("name", of: "film")?.id == 1)
        #expect(try registry.add("name", of: "film", mode: .random, padding: .none).id == 1)
        try registry.move(1, to: .unsealing)
        try registry.move(1, to: .plaintext)
        #expect(try registry.add("name", of: "film", mode: .random, padding: .none).id == 3)
        #expect(registry.column("name", of: "film")?.id == 3)
        #expect(registry.columns.map(\.id) == [1, 2, 3])
        let connection = try Connection.inMemory()
        try connection.with(rights: .engine) {
            try RegistryTables.write(&registry, keys, connection)
        }
        #expect(try read(connection) == registry)
    }

    @Test("states follow each other only in the allowed order")
    func states() throws {
        for state in SealedColumn.State.allCases {
            for next in SealedColumn.State.allCases {
                var registry = registry
                registry.columns[0].state = state
                let isWay = [
                    "plaintext migrating", "migrating sealed", "migrating unsealing", "sealed unsealing",
                    "unsealing plaintext", "unsealing migrating", "sealed resealing", "resealing sealed",
                ].contains("\(state) \(next)")
                let code = try Refusal.code { try registry.move(1, to: next) }
                #expect(code == (isWay ? nil : .misuse), "\(state) \(next)")
                if isWay { #expect(registry.columns[0].cursor == nil) }
            }
        }
        var registry = registry
        Refusal.expect(.misuse) { try registry.move(9, to: .sealed) }
        Refusal.expect(.misuse) { try registry.advance(9, to: 1) }
        Refusal.expect(.misuse) {
            _ = try registry.add("url", of: "movie", mode: .random, padding: .none)
        }
        Refusal.expect(.misuse) {
            _ = try registry.add("x", of: "movie", mode: .random, padding: .multiple(of: 1))
        }
    }

    /// What anyone who can open the database can write, without the fields keyring.
    static let forgeries = [
        "UPDATE lockstep_column SET state = 'migrating' WHERE id = 2", "UPDATE lockstep_column SET state = 'plaintext'",
        "UPDATE lockstep_column SET state = 'open'", "UPDATE lockstep_column SET state = 'resealing' WHERE id = 2",
        "UPDATE lockstep_column SET identity = NULL WHERE id = 1",
        "UPDATE lockstep_column SET identity = randomblob(16) WHERE id = 2",
        "UPDATE lockstep_column SET identity = x'00'",
        "UPDATE lockstep_column SET identity = (SELECT identity FROM lockstep_column WHERE id = 2)",
        "UPDATE lockstep_dataset SET registry = NULL", "UPDATE lockstep_dataset SET registry = randomblob(16)",
        "UPDATE lockstep_dataset SET registry = x'00'", "UPDATE lockstep_dataset SET database = randomblob(16)",
        "UPDATE lockstep_dataset SET database = registry, registry = NULL",
        "UPDATE lockstep_dataset SET database = NULL", "UPDATE lockstep_dataset SET database = x'00'",
        "UPDATE lockstep_dataset SET earlier = NULL", "UPDATE lockstep_dataset SET earlier = x'00'",
        "UPDATE lockstep_dataset SET earlier = mac", "UPDATE lockstep_dataset SET earlier = mac, changes = 2",
        "UPDATE lockstep_dataset SET folded = zeroblob(32)",
        "UPDATE lockstep_dataset SET folded = zeroblob(32), changes = 2",
        "UPDATE lockstep_dataset SET earlier = zeroblob(32 * 65537), changes = 65538",
        "UPDATE lockstep_column SET mode = 'deterministic'", "UPDATE lockstep_column SET mode = 'none'",
        "UPDATE lockstep_column SET padding = 64 WHERE id = 2", "UPDATE lockstep_column SET padding = 1 WHERE id = 2",
        "UPDATE lockstep_column SET cursor = NULL", "UPDATE lockstep_column SET cursor = 18 WHERE id = 1",
        "UPDATE lockstep_column SET cursor = 0 WHERE id = 2",
        "UPDATE lockstep_column SET id = 3 - id + 10; UPDATE lockstep_column SET id = id - 10",
        "UPDATE lockstep_column SET id = 7 WHERE id = 2", "UPDATE lockstep_column SET id = -2 WHERE id = 2",
        "UPDATE lockstep_column SET name = CASE id WHEN 1 THEN 'url' ELSE 'title' END",
        "UPDATE lockstep_column SET name = 'other' WHERE id = 1",
        "UPDATE lockstep_column SET table_name = 'movi', name = 'etitle' WHERE id = 1",
        "UPDATE lockstep_column SET mac = zeroblob(32)",
        "UPDATE lockstep_column SET mac = x''",
        "UPDATE lockstep_column SET mac = (SELECT mac FROM lockstep_column WHERE id = 2)",
        "DELETE FROM lockstep_column WHERE id = 1",
        "DELETE FROM lockstep_column WHERE id = 2",
        "DELETE FROM lockstep_column",
        """
        INSERT INTO lockstep_column
            SELECT dataset, 3, table_name, name, mode, padding, state, cursor, mac, row_key, identity
            FROM lockstep_column WHERE id = 2
        """,
        "DELETE FROM lockstep_index",
        "DELETE FROM lockstep_index WHERE number = 2",
        "UPDATE lockstep_index SET name = 'title'", "UPDATE lockstep_index SET normaliser = 'lower' WHERE number = 1",
        "UPDATE lockstep_index SET normaliser = 'none' WHERE number = 1",
        "UPDATE lockstep_index SET bits = 23 WHERE number = 1", "UPDATE lockstep_index SET bits = 64 WHERE number = 1",
        "UPDATE lockstep_index SET key_version = 9",
        "UPDATE lockstep_index SET number = number + 10",
        "UPDATE lockstep_index SET column_id = 1",
        "UPDATE lockstep_index SET column_id = 9",
        "UPDATE lockstep_index SET mac = zeroblob(32)",
        "UPDATE lockstep_dataset SET changes = 2",
        "UPDATE lockstep_dataset SET changes = 0",
        "UPDATE lockstep_dataset SET changes = -1",
        "UPDATE lockstep_dataset SET key_version = 1",
        "UPDATE lockstep_dataset SET key_version = 0",
        "UPDATE lockstep_dataset SET mac = zeroblob(32)",
        "UPDATE lockstep_dataset SET mac = x'00'",
        "DELETE FROM lockstep_field_key WHERE version = 1",
        "DELETE FROM lockstep_field_key",
        "INSERT INTO lockstep_field_key SELECT dataset, 8, zeroblob(32) FROM lockstep_dataset",
        "INSERT INTO lockstep_field_key SELECT dataset, 0, zeroblob(32) FROM lockstep_dataset",
        "UPDATE lockstep_field_key SET version = 9 WHERE version = 1",
    ]

    @Test("nothing in the registry can be changed without the fields keyring", arguments: forgeries)
    func forged(_ sql: String) throws {
        let connection = try stored()
        try change(sql, connection)
        let code = try Refusal.code { _ = try read(connection) }
        // The named version can be one that the keyring does not have, or no longer has.
        let due: [LockstepError.Code] =
            sql.contains("key_version") ? [.registryForged, .keyUnavailable] : [.registryForged]
        #expect(code.map(due.contains) == true, "\(String(describing: code))")
    }

    @Test("the entry that does not authenticate is named")
    func forgedEntry() throws {
        for (sql, column) in [
            ("UPDATE lockstep_column SET mac = zeroblob(32) WHERE id = 1", "title"),
            ("UPDATE lockstep_column SET padding = 64 WHERE id = 2", "url"),
            ("UPDATE lockstep_index SET bits = 17 WHERE number = 2", "url"),
        ] {
            let connection = try stored()
            try change(sql, connection)
            Refusal.expect(.registryForged, about: .init(table: "movie", column: column)) {
                _ = try read(connection)
            }
        }
    }

    @Test("another key's fingerprint means another keyring, before any cell is opened")
    func replacedCommitment() throws {
        let connection = try stored()
        try change("UPDATE lockstep_field_key SET commitment = randomblob(32) WHERE version = 3", connection)
        Refusal.expect(.keyringMismatch) { _ = try read(connection) }
        try change("UPDATE lockstep_field_key SET commitment = x'00' WHERE version = 3", connection)
        Refusal.expect(.registryForged) { _ = try read(connection) }
    }

    @Test("rows of another dataset are not this one's, and do not replace them")
    func otherDataset() throws {
        let connection = try stored()
        let foreign = [UInt8](repeating: 9, count: 16)
        let other = try CellWorkbench.keys(dataset: foreign)
        var second = ColumnRegistry(other)
        _ = try second.add("title", of: "movie", mode: .random, padding: .none)
        try connection.with(rights: .engine) {
            try RegistryTables.write(&second, other, connection)
        }
        #expect(try read(connection)?.columns == registry.columns)
        #expect(try RegistryTables.read(other, connection) == second)
        // Same keys, other dataset: rows that authenticate there do not here.
        try change(
            "CREATE TABLE foreign_mac AS SELECT mac FROM lockstep_column WHERE dataset = x'\(Hex.encode(foreign))'",
            connection)
        try change("UPDATE lockstep_column SET mac = (SELECT mac FROM foreign_mac) WHERE id = 1", connection)
        Refusal.expect(.registryForged) { _ = try read(connection) }
    }

    @Test("an old set put back as a whole is detected by its number of changes")
    func rolledBack() throws {
        let connection = try stored()
        try change("CREATE TABLE kept AS SELECT * FROM lockstep_column", connection)
        try change("CREATE TABLE kept_set AS SELECT * FROM lockstep_dataset", connection)
        var newer = try #require(try read(connection))
        try newer.move(1, to: .sealed)
        try connection.with(rights: .engine) { try RegistryTables.write(&newer, keys, connection) }
        try change("REPLACE INTO lockstep_column SELECT * FROM kept", connection)
        // Half of it is not enough.
        Refusal.expect(.registryForged) { _ = try read(connection) }
        try change("REPLACE INTO lockstep_dataset SELECT * FROM kept_set", connection)
        let back = try #require(try read(connection))
        #expect(back.changes < newer.changes)
    }

    @Test(
        "after a rotation of the field key the registry is under the new one, and the old can be destroyed"
    )
    func rotation() throws {
        let connection = try stored()
        let newer = try CellWorkbench.keys(active: 5, retired: [1, 3], destroyed: [2])
        var registry = try #require(try RegistryTables.read(newer, connection))
        try connection.with(rights: .engine) {
            try RegistryTables.write(&registry, newer, connection)
        }
        let without = try CellWorkbench.keys(active: 5, destroyed: [1, 2, 3])
        #expect(try RegistryTables.read(without, connection)?.columns == registry.columns)
        // With an older keyring, the error says so and does not report a forgery.
        Refusal.expect(.keyUnavailable) { _ = try read(connection) }
    }

    @Test("the columns that claim to be sealed are known without the keyring")
    func claimed() throws {
        let claimed = try RegistryTables.claimed(stored())
        #expect(claimed.map(\.name) == ["title", "url"])
        #expect(try RegistryTables.claimed(Connection.inMemory()).isEmpty)
    }

    /// From the article's example.
    static let database = [UInt8](0xC0..<0xD0)
    static let registryIdentity = [UInt8](0xD0..<0xE0)

    @Test("the codes are those of the article's examples, which Python's `cryptography` made") func knownAnswers()
        throws
    {
        let commitment = try Keyring.commitment(of: Secrets.make(CellWorkbench.fieldKey))
        #expect(Hex.encode(commitment) == "1c8db25cb17c11d06e791742e6e60a009aed576fe72975ea4125088956980c27")
        var registry = ColumnRegistry(
            dataset: CellWorkbench.dataset, identity: Self.registryIdentity, database: Self.database, changes: 1,
            line: RegistryLine(),
            columns: [
                SealedColumn(
                    id: 1, identity: CellWorkbench.identity, table: "movie", name: "title", mode: .random,
                    padding: .none, state: .sealed, rowKey: SealedRowKey("row id"))
            ], commitments: [3: commitment])
        let first = try RegistryCodes(registry, keys, 3)
        #expect(
            first.columns.map { Hex.encode($0) } == [
                "70a4cb4d21a37e842dc95ba9c102d2004c2254107bd35bd40e08513c2a371335"
            ])
        #expect(Hex.encode(first.set) == "ed7575a85735c5a8cee86a087c2bc96388b1e07749deb0e2ea34c14aeca99895")
        registry.code = first.set
        try registry.begin(in: Self.database)
        let second = try RegistryCodes(registry, keys, 3)
        #expect(Hex.encode(second.set) == "2d0c62c7a9efdc57acd72abf9afa50ec70e3a72c433701cd66abc0f9422a62fb")
        registry.changes = 3
        let folded = Hex.decode("b075f17782eb88e26cfa2e92582951d0e6375fe487246b585b3747b2b4137c44")
        registry.line = try #require(RegistryLine(second.set, folded: folded, of: 3))
        let third = try RegistryCodes(registry, keys, 3)
        #expect(Hex.encode(third.set) == "5c491c31af5cb26b5b5883af26dd5565c51b3e042caa7a52dde64cb3f3aac86b")
    }
}
