import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A database while one of its columns is being sealed, unsealed or moved to a newer key, and the check that it is at
/// a border between two of these transactions, with every value readable in exactly one state.
struct SealingVictim {
    enum Kind: String, CaseIterable, Sendable {
        case protect, unprotect, rotate
    }

    static let rows = 400

    private let kind: Kind
    private let victim: MigrationVictim
    /// The keys of the pending migration: those of the keyring beside the database, which the worker opens.
    private let keys: FieldKeys
    /// What distinguishes the states before the first transaction and after each of them.
    let borders: [String]

    init(_ kind: Kind) throws {
        self.kind = kind
        let database = try DatabaseScratch()
        let first = Scratch.up(
            "CREATE TABLE item (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, size INTEGER);")
        let protect = Scratch.up(
            """
            -- lockstep: protect item.name dataset=test index=exact:20 batch=90
            CREATE INDEX item_by_size ON item (size);
            """)
        var before = [first]
        var pending = [protect]
        switch kind {
        case .protect: break
        case .unprotect:
            before = [first, protect]
            pending = [Scratch.up("-- lockstep: unprotect item.name dataset=test batch=90")]
        case .rotate:
            before = [first, protect]
            pending = [Scratch.up("-- lockstep: rotate item.name dataset=test batch=90")]
        }
        var keyring = try Keyring.create(.fields)
        do {
            _ = try database.create()
            let connection = try Self.open(database, keyring.fieldKeys(named: "test"))
            _ = try Migrator(Scratch.set([first])).run(on: connection)
            try connection.write { connection in
                for row in 1...Self.rows {
                    try connection.execute("INSERT INTO item (name, size) VALUES (?, ?)", Self.name(row), row)
                }
                try connection.execute("DELETE FROM item WHERE id % 97 = 0")
            }
            if before.count > 1 { _ = try Migrator(Scratch.set(before)).run(on: connection) }
        }
        if kind == .rotate {
            try keyring.activateKey(.field, version: keyring.createKey(.field))
        }
        let keys = try keyring.fieldKeys(named: "test")
        self.keys = keys
        try KeyFile.create(database.folder.file("my.key"))
        try keyring.addSlot("key-file", KeyFile.read(database.folder.file("my.key")))
        try KeyringFile(database.folder.file("test.fields.keyring")).create(keyring)
        victim = try MigrationVictim(database, migratedBy: before + pending)
        let copy = try MigrationVictim(copying: victim)
        var borders = [try Self.border(copy.database, keys)]
        _ = try Migrator(copy.set) { event in
            switch event {
            case .committed, .advanced: borders.append(try Self.border(copy.database, keys))
            default: break
            }
        }.run(on: Self.open(copy.database, keys))
        // Between two of its transactions the file is rewritten, which changes nothing visible here.
        self.borders = borders.enumerated().filter {
            $0.offset == 0 || borders[$0.offset - 1] != $0.element
        }
        .map(\.element)
    }

    init(copying other: SealingVictim) throws {
        kind = other.kind
        victim = try MigrationVictim(copying: other.victim)
        keys = other.keys
        borders = other.borders
        let (from, to) = (other.victim.database.folder, victim.database.folder)
        for name in ["my.key", "test.fields.keyring"] {
            try to.write(name, Bytes.read(from.file(name)))
        }
    }

    private static func name(_ row: Int) -> String {
        "\(row) " + String(repeating: "n", count: 120)
    }

    private static func open(_ database: DatabaseScratch, _ keys: FieldKeys) throws -> Connection {
        var options = ConnectionOptions()
        options.fieldKeys = [keys]
        options.mayBeUnsealed = true
        return try Connection.open(database.path, key: database.key(), options: options)
    }

    // MARK: The worker

    func run(
        _ fault: String = "kill", at call: Int = .max >> 33
    ) async throws -> FaultyWorker.Run { try await victim.run("seal", fault, at: call) }

    /// The same as a safe migration.
    func runSafely(
        _ fault: String = "kill", at call: Int = .max >> 33
    ) async throws -> FaultyWorker.Run { try await victim.run("seal-safe", fault, at: call) }

    func makeLost() throws { try victim.makeLost() }

    // MARK: What must hold

    /// The state that it is in; every value must be what it was, and its token with it.
    private static func border(_ database: DatabaseScratch, _ keys: FieldKeys) throws -> String {
        let connection = try open(database, keys)
        try IntegrityPragma.require(connection)
        let registry = try RegistryTables.read(keys, connection)
        let column = registry?.column("name", of: "item")
        let state = column?.state ?? .plaintext
        let view = state == .plaintext ? "item" : "item_open"
        let values = try connection.query("SELECT id, name FROM \(name: view) ORDER BY id") { row in
            (try row[0] as Int, try row[1] as String)
        }
        #expect(values.map(\.0) == (1...rows).filter { $0 % 97 != 0 })
        #expect(values.allSatisfy { $0.1 == name($0.0) })
        var words = [
            state.rawValue, "\(column?.cursor ?? 0)",
            try connection.value("SELECT count(*) FROM lockstep_migration", as: Int.self)
                .map { "\($0)" } ?? "",
        ]
        words += try connection.query(
            "SELECT hex(substr(name, 1, 5)), count(*) FROM item WHERE typeof(name) = 'blob' GROUP BY 1"
        ) { row in "\(try row[0] as String): \(try row[1] as Int)" }
        words += try connection.query(
            "SELECT type || ' ' || name FROM sqlite_schema WHERE name NOT LIKE 'lockstep_m%' ORDER BY 1"
        ) { row in try row[0] }
        return words.joined(separator: ", ")
    }

    func border() throws -> Int? {
        let audit = try PageAudit(victim.database.path).run(key: victim.database.key())
        guard audit.damagedFrames.isEmpty, audit.strayBytes == 0, audit.damagedPages.isEmpty else {
            return nil
        }
        let found = try Self.border(victim.database, keys)
        return borders.firstIndex(of: found)
    }

    /// Expects that the next safe run completes, and does not restore a backup.
    func expectSafeCompletion(_ context: Comment) throws {
        var migration = SafeMigration(of: victim.database.path, sets: [try victim.set])
        migration.options.fieldKeys = [keys]
        migration.options.mayBeUnsealed = true
        let report = try migration.run(DatabaseAccess(rawKey: victim.database.key()))
        #expect([.migrated, .nothingToDo].contains(report.outcome), context)
        #expect(report.recovery != .restored, context)
        try expectCompletion(context)
    }

    /// Expects that the next run completes, with the result of a run without a fault.
    func expectCompletion(_ context: Comment) throws {
        do {
            _ = try Migrator(victim.set).run(on: Self.open(victim.database, keys))
        }
        #expect(try border() == borders.count - 1, context)
        var verification = Verification(victim.database.path, sets: [try victim.set])
        verification.fieldKeys = [keys]
        let report = try verification.run(key: victim.database.key())
        #expect(report.isClean, "\(context.rawValue): \(report)")
        guard kind == .protect else { return }
        let pages = try DecryptedPages(victim.database.path, victim.database.key())
        #expect(!pages.contain(Array("nnnnnnnn".utf8)), context)
    }
}
