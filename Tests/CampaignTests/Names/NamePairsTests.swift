import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Databases with names that Swift takes for equal and SQLite does not, through every copy and change of them. The rows
/// are read without the engine before and afterwards.
@Suite("Pairs of names")
struct NamePairsTests {
    /// Two tables, columns, indexes and views of a database.
    private struct Names {
        let tables: NamePair
        let columns: NamePair
        let indexes: NamePair
        let texts: NamePair

        init(_ dice: inout SplitMix64) {
            tables = .random(using: &dice)
            columns = .random(using: &dice)
            indexes = .random(using: &dice)
            texts = .random(using: &dice)
        }

        /// The statements that make the tables, the one with one row and the other with three. The texts are keys as
        /// well.
        var statements: [String] {
            let (one, other) = (SQLTokens.quote(columns.one), SQLTokens.quote(columns.other))
            return tables.both.enumerated().flatMap { place, name in
                let table = SQLTokens.quote(name)
                let index = SQLTokens.quote("i\(indexes.both[place])")
                let rows = (0...(2 * place)).map { row in
                    let text = SQLTokens.quoteText(texts.both[(row + place) % 2] + "\(row)")
                    return "(\(10 * place + row), \(text), '\(place) \(row)')"
                }
                return [
                    place == 0
                        ? "CREATE TABLE \(table) (id INTEGER PRIMARY KEY, \(one) TEXT, \(other) TEXT)"
                        : "CREATE TABLE \(table) (id, \(one) TEXT, \(other) TEXT, PRIMARY KEY (\(one))) WITHOUT ROWID",
                    "INSERT INTO \(table) VALUES \(rows.joined(separator: ", "))",
                    "CREATE INDEX \(index) ON \(table) (\(place == 0 ? other : one))",
                    "CREATE VIEW \(SQLTokens.quote("v" + name)) AS SELECT \(other) AS \(one) FROM \(table)",
                ]
            }
        }

        /// What a table, a view and the schema hold, as text.
        var queries: [String] {
            tables.both.map { name in
                """
                SELECT id || ' ' || hex(\(SQLTokens.quote(columns.one))) || ' ' || hex(\(SQLTokens.quote(columns.other)))
                FROM \(SQLTokens.quote(name)) ORDER BY id
                """
            }
                + tables.both.map { name in
                    "SELECT hex(\(SQLTokens.quote(columns.one))) FROM \(SQLTokens.quote("v" + name)) ORDER BY 1"
                } + [
                    """
                    SELECT type || ' ' || hex(name) || ' ' || hex(tbl_name) || ' ' || hex(sql) FROM sqlite_schema
                    WHERE sql IS NOT NULL AND name NOT LIKE 'lockstep%' AND name NOT LIKE 'sqlite%' ORDER BY type, name
                    """
                ]
        }

        func answers(_ database: RawDatabase) throws -> [[String]] {
            try queries.map { try database.run($0) }
        }

        /// The rows that a report must give.
        var counts: [ExactText: Int] { [ExactText(tables.one): 1, ExactText(tables.other): 3] }
    }

    private static let seeds = Array(0..<UInt64(6))

    @Test("Adopted, backed up, restored, salvaged, exported and verified", arguments: seeds)
    func copies(_ seed: UInt64) throws {
        var dice = SplitMix64(state: seed &* 977 &+ 5)
        let names = Names(&dice)
        let scratch = try CopyScratch()
        try names.statements.forEach { try scratch.makePlaintext($0) }
        let wanted = try names.answers(RawDatabase(scratch.old.path, key: nil))
        #expect(wanted[0].count == 1 && wanted[1].count == 3)

        let adopted = try scratch.adoptWhole(names.queries)
        #expect(adopted.copy.rows == names.counts, "\(names.tables)")

        let backup = scratch.new.folder.file("backup.db")
        let key = RawDatabase.keyspec
        do {
            let store = try Store.open(scratch.new.path, rawKey: scratch.new.key())
            #expect(try store.blocking.backup(to: backup).rows == names.counts)
            let plain = try DatabaseScratch("plain.db")
            #expect(try PlaintextExport(to: plain.path).run(on: store).rows == names.counts)
            #expect(try names.answers(RawDatabase(plain.path, key: nil)) == wanted)
            #expect(try names.answers(RawDatabase(backup, key: key)) == wanted)
        }

        let restored = try Restore(scratch.new.path, from: backup).run(
            key: scratch.new.key(), backupKey: scratch.new.key())
        #expect(restored.rows == names.counts)
        #expect(try names.answers(RawDatabase(scratch.new.path, key: key)) == wanted)

        let saved = try DatabaseScratch("saved.db")
        let report = try Salvage(scratch.new.path, into: saved.path).run(key: scratch.new.key(), newKey: saved.key())
        #expect(report.isComplete && report.rows == 4, "\(report)")
        for (name, count) in names.counts {
            let table = report.tables.first { ExactText($0.name) == name }
            #expect(table?.rows == count)
        }
        #expect(try names.answers(RawDatabase(saved.path, key: key)) == wanted)

        let verified = try Verification(scratch.new.path).run(key: scratch.new.key())
        #expect(verified.failed == [])
    }

    @Test("Migrated, guarded, verified with a fresh build and down and up again", arguments: seeds)
    func migrations(_ seed: UInt64) throws {
        var dice = SplitMix64(state: seed &* 31 &+ 11)
        let names = Names(&dice)
        let (one, other) = (
            SQLTokens.quote(names.tables.one), SQLTokens.quote(names.tables.other)
        )
        let views = names.tables.both.map { "DROP VIEW \(SQLTokens.quote("v" + $0));" }
        let set = try Scratch.set(
            Scratch.up(
                names.statements.map { $0 + ";" }.joined(separator: "\n"),
                down: """
                    -- lockstep: allow loss of table \(one)
                    -- lockstep: allow loss of table \(other)
                    \(views.joined(separator: "\n"))
                    DROP TABLE \(one);
                    DROP TABLE \(other);
                    """))
        let database = try VerifiedDatabase([set])
        let verified = try database.report(deep: true)
        #expect(verified.failed == [], "\(names.tables): \(verified.messages)")

        // The rows of one table, declared for the other: the guard refuses it.
        let loses = try MigrationSet(
            name: "loses",
            files: [
                (
                    name: "0001_loses.sql",
                    content: Scratch.up("-- lockstep: allow loss of table \(one)\nDELETE FROM \(other);")
                )
            ])
        let connection = try database.scratch.open()
        Refusal.expect(.rowsLost) { _ = try Migrator(loses).run(on: connection) }
        #expect(try connection.value("SELECT count(*) FROM \(verbatim: other)") == 3)

        // What the one table has and the set has not is drift, of that table alone.
        try connection.with(rights: .engine) {
            try connection.execute("ALTER TABLE \(verbatim: other) ADD COLUMN drifted")
        }
        let drift = try Verification(database.scratch.path, sets: database.sets)
            .run(key: database.scratch.key())
        let differences = drift.messages.filter { $0.ends(with: " is different") }
        #expect(drift.failed == [.drift], "\(drift.messages)")
        #expect(differences.map { ExactText($0) } == [ExactText("table \(names.tables.other) is different")])
    }

    @Test("Sealed columns of both tables, read and written through their views", arguments: seeds)
    func sealed(_ seed: UInt64) throws {
        var dice = SplitMix64(state: seed &* 7 &+ 3)
        let (tables, columns) = (NamePair.random(using: &dice), NamePair.random(using: &dice))
        let bench = try SealedTableWorkbench()
        let connection = try bench.open()
        for (place, name) in tables.both.enumerated() {
            try connection.execute(
                "CREATE TABLE \(name: name) (id INTEGER PRIMARY KEY, \(name: columns.one) TEXT, \(name: columns.other) TEXT)"
            )
            try connection.execute("INSERT INTO \(name: name) VALUES (1, \("one \(place)"), \("other \(place)"))")
        }
        for name in tables.both {
            for column in columns.both {
                try connection.protect(column, of: name, keys: bench.keys, batch: 2)
            }
        }
        func values() throws -> [String] {
            try tables.both.flatMap { name in
                try columns.both.flatMap { column in
                    try connection.query(
                        "SELECT \(name: column) FROM \(name: name + "_open")"
                    ) { row in try row[0] as String }
                }
            }
        }
        #expect(try values() == ["one 0", "other 0", "one 1", "other 1"], "\(tables), \(columns)")
        try connection.execute("UPDATE \(name: tables.other + "_open") SET \(name: columns.one) = 'new' WHERE id = 1")
        #expect(try values() == ["one 0", "other 0", "new", "other 1"])
        for name in tables.both {
            for column in columns.both {
                let plain: Int? = try connection.value(
                    "SELECT count(*) FROM \(name: name) WHERE typeof(\(name: column)) <> 'blob'")
                #expect(plain == 0)
            }
        }
    }

    @Test(
        "Changes and observed tables are those of the table that changed", arguments: NamePair.all)
    func changes(_ pair: NamePair) throws {
        var changes = DatabaseChanges()
        changes.insert(1, of: ExactText(pair.one))
        #expect(changes.tables[pair.one] == .listed([1]) && changes.tables[pair.other] == nil)
        #expect(changes.touches([ExactText(pair.one)]) && !changes.touches([ExactText(pair.other)]))
    }

    @Test("Columns of a result and parameters are found by their bytes", arguments: NamePair.all)
    func columns(_ pair: NamePair) throws {
        let connection = try Connection.inMemory()
        let found = try connection.query(
            "SELECT 1 AS \(name: pair.one), 2 AS \(name: pair.other)"
        ) { row in [try row[pair.one] as Int, try row[pair.other] as Int] }
        #expect(found == [[1, 2]])
        guard pair.both.allSatisfy({ $0.unicodeScalars.allSatisfy { $0 != ";" && $0 != "\u{37E}" } }) else { return }
        let named = try connection.prepare("SELECT :p\(verbatim: pair.one)")
        Refusal.expect(.bindMismatch) { try named.bind(named: ["p\(pair.other)": 1]) }
        try named.bind(named: ["p\(pair.one)": 1])
    }

    @Test("A thousand tables whose names Swift takes for one")
    func many() throws {
        let names = NamePair.many(1000)
        let scratch = try CopyScratch()
        let database = try RawDatabase(scratch.old.path, key: nil)
        try database.run("BEGIN")
        for (number, name) in names.enumerated() {
            try database.run("CREATE TABLE \"\(name)\" (a); INSERT INTO \"\(name)\" VALUES (\(number))")
        }
        try database.run("COMMIT")
        let report = try scratch.adopt()
        #expect(report.copy.rows.count == 1000 && report.copy.rows.values.allSatisfy { $0 == 1 })
        let copy = try RawDatabase(scratch.new.path, key: RawDatabase.keyspec)
        for (number, name) in names.enumerated() {
            #expect(try copy.run("SELECT a FROM \"\(name)\"") == ["\(number)"])
        }
    }

    @Test("A name with a zero byte, and one that is no UTF-8, are errors that change nothing") func badNames() throws {
        let connection = try Connection.inMemory()
        #expect(throws: LockstepError.self) {
            try connection.execute("CREATE TABLE \(name: "a\0b") (x)")
        }
        #expect(throws: LockstepError.self) {
            _ = try connection.value("SELECT count(*) FROM \(name: "sqlite_schema\0")", as: Int.self)
        }
        #expect(try connection.value("SELECT count(*) FROM sqlite_schema") == 0)

        let scratch = try CopyScratch()
        try scratch.makePlaintext(
            "CREATE TABLE t (a); INSERT INTO t VALUES (1); PRAGMA writable_schema = ON",
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET name = CAST(x'61FF' AS TEXT), tbl_name = CAST(x'61FF' AS TEXT),
                sql = 'CREATE TABLE "' || CAST(x'61FF' AS TEXT) || '" (a)'
            """)
        let before = try CopyScratch.content(of: scratch.old)
        #expect(throws: LockstepError.self) { try scratch.adopt() }
        #expect(try CopyScratch.content(of: scratch.old) == before && scratch.new.names == [])
    }
}
