import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// The digest of a table's rows, and the order in which it reads them.
struct ManifestRowsTests {
    private static func bytes(_ values: [Value]) -> [UInt8] {
        var bytes: [UInt8] = []
        for value in values {
            let (tag, content) = Self.stored(value)
            bytes.append(tag)
            bytes += UInt32(content.count).bigEndianBytes
            bytes += content
        }
        return bytes
    }

    private static func stored(_ value: Value) -> (UInt8, [UInt8]) {
        switch value {
        case .null: (0, [])
        case .integer(let number): (1, number.bigEndianBytes)
        case .real(let number): (2, number.bitPattern.bigEndianBytes)
        case .text(let text): (3, Array(text.utf8))
        case .blob(let blob): (4, blob)
        }
    }

    private struct Outcome {
        let rows: ManifestRows
        let plan: [String]
    }

    /// The digest of a table `t` with a column `c`, and how SQLite scans the table.
    private static func outcome(_ script: String) throws -> Outcome {
        let connection = try Connection.inMemory()
        try connection.run(script: script)
        guard let shape = try SealedTable("t", connection) else {
            throw LockstepError(.notFound, "there is no table t")
        }
        let sql = try ManifestRows.selection(shape, ["c"], connection)
        let rows = try ManifestRows(shape, columns: ["c"], connection)
        let plan = try connection.query(SQL(verbatim: "EXPLAIN QUERY PLAN \(sql)")) { row in
            try row[3] as String
        }
        return Outcome(rows: rows, plan: plan)
    }

    private static func expect(
        _ script: String, _ rows: [[Value]], sorts: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let outcome = try outcome(script)
        #expect(outcome.rows.count == UInt64(rows.count), sourceLocation: sourceLocation)
        let stored = rows.flatMap(bytes)
        let due = try HashFunction.sha256.digest(stored.span)
        #expect(outcome.rows.digest == due, sourceLocation: sourceLocation)
        let sorted = outcome.plan.contains { $0.contains("TEMP B-TREE") }
        #expect(sorted == sorts, "\(outcome.plan)", sourceLocation: sourceLocation)
    }

    @Test("rows are read in the order of an INTEGER PRIMARY KEY, with NULL where nothing is sealed")
    func rowID() throws {
        try Self.expect(
            """
            CREATE TABLE t (c, id INTEGER PRIMARY KEY, x);
            INSERT INTO t VALUES (x'F901', 3, 1), (NULL, -7, 2), (x'', 9223372036854775807, 3);
            CREATE INDEX i ON t (x);
            """, [[.integer(-7), .null], [.integer(3), .blob([0xF9, 1])], [.integer(.max), .blob([])]])
        try Self.expect("CREATE TABLE t (c, id INTEGER PRIMARY KEY)", [])
    }

    private static let mixed: [[Value]] = [
        [.integer(-1), .text("z"), .blob([1])], [.real(1.5), .text("a"), .null], [.integer(2), .text("B"), .blob([2])],
        [.integer(2), .text("a"), .blob([3])], [.integer(2), .blob([0]), .blob([4])],
        [.text(""), .text("é"), .blob([5])], [.text("Z"), .integer(0), .blob([6])],
        [.text("a"), .integer(0), .blob([7])], [.blob([0x41]), .integer(0), .blob([8])],
    ]

    private static let insertion = """
        INSERT INTO t (a, b, c) VALUES (x'41', 0, x'08'), ('a', 0, x'07'), ('Z', 0, x'06'),
            (2, x'00', x'04'), ('', 'é', x'05'), (2, 'a', x'03'), (2, 'B', x'02'), (1.5, 'a', NULL),
            (-1, 'z', x'01');
        """

    @Test(
        "rows are read in the order of a declared key, value by value, whatever the kind of table")
    func declared() throws {
        try Self.expect("CREATE TABLE t (c, a NOT NULL, b NOT NULL, PRIMARY KEY (a, b)); \(Self.insertion)", Self.mixed)
        try Self.expect("CREATE TABLE t (a, b, c, PRIMARY KEY (a, b)) WITHOUT ROWID; \(Self.insertion)", Self.mixed)
        // The key's order, and not that of the columns.
        let outcome = try Self.outcome(
            "CREATE TABLE t (a NOT NULL, b NOT NULL, c, PRIMARY KEY (b, a)); \(Self.insertion)")
        let straight = try Self.outcome(
            "CREATE TABLE t (b NOT NULL, a NOT NULL, c, PRIMARY KEY (b, a)); \(Self.insertion)")
        #expect(outcome.rows == straight.rows)
        #expect(outcome.rows.count == 9)
    }

    @Test("the key's own order does not matter, be it another collation or descending") func otherOrder() throws {
        try Self.expect(
            """
            CREATE TABLE t (c, a TEXT NOT NULL COLLATE NOCASE PRIMARY KEY);
            INSERT INTO t VALUES (x'01', 'b'), (x'02', 'A'), (x'03', 'C');
            """,
            [
                [.text("A"), .blob([2])], [.text("C"), .blob([3])], [.text("b"), .blob([1])],
            ], sorts: true)
        try Self.expect(
            """
            CREATE TABLE t (c, a INT NOT NULL, PRIMARY KEY (a DESC)) WITHOUT ROWID;
            INSERT INTO t VALUES (x'01', 1), (x'02', 2);
            """, [[.integer(1), .blob([1])], [.integer(2), .blob([2])]])
    }

    @Test("without a key the sealed values decide the order")
    func keyless() throws {
        try Self.expect(
            "CREATE TABLE t (c, x); INSERT INTO t VALUES (x'02', 1), (NULL, 2), (x'01', 3), (x'01', 4)",
            [[.null], [.blob([1])], [.blob([1])], [.blob([2])]], sorts: true)
    }

    @Test("large values are digested as small ones are")
    func large() throws {
        let count = 200_000
        try Self.expect(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, c);
            INSERT INTO t VALUES (1, zeroblob(\(count))), (2, x'07'), (3, zeroblob(65530));
            """,
            [
                [.integer(1), .blob([UInt8](repeating: 0, count: count))], [.integer(2), .blob([7])],
                [.integer(3), .blob([UInt8](repeating: 0, count: 65_530))],
            ])
    }

    @Test("a text is digested in UTF-8, whatever the file's encoding is")
    func encodings() throws {
        let script = "CREATE TABLE t (a TEXT NOT NULL PRIMARY KEY, c); INSERT INTO t VALUES ('dé', x'01')"
        let due = [[Value.text("dé"), .blob([1])]]
        try Self.expect(script, due)
        try Self.expect("PRAGMA encoding = 'UTF-16le'; \(script)", due)
    }

    // MARK: Version 2

    /// The digest of a table `t` with a sealed column `c` and these columns beside it.
    private static func second(_ script: String, _ others: [String]) throws -> Outcome {
        let connection = try Connection.inMemory()
        try connection.run(script: script)
        guard let shape = try SealedTable("t", connection) else {
            throw LockstepError(.notFound, "there is no table t")
        }
        let sql = try ManifestRows.selection(shape, ["c"], others: others, connection)
        let rows = try ManifestRows(shape, columns: ["c"], others: others, connection)
        let plan = try connection.query(SQL(verbatim: "EXPLAIN QUERY PLAN \(sql)")) { row in
            try row[3] as String
        }
        return Outcome(rows: rows, plan: plan)
    }

    @Test("the second digest takes the other columns after key and sealed ones, as they are stored")
    func whole() throws {
        let outcome = try Self.second(
            """
            CREATE TABLE t (b REAL, c, id INTEGER PRIMARY KEY, a TEXT, v AS (a || 'x') VIRTUAL,
                s AS (id * 2) STORED);
            INSERT INTO t (b, c, id, a) VALUES (3, x'F901', 2, 'é'), (1.5, NULL, 1, 7), (NULL, x'01', 3, x'00');
            """, ["a", "b", "s"])
        let rows: [[Value]] = [
            [.integer(1), .null, .text("7"), .real(1.5), .integer(2)],
            [.integer(2), .blob([0xF9, 1]), .text("é"), .real(3), .integer(4)],
            [.integer(3), .blob([1]), .blob([0]), .null, .integer(6)],
        ]
        let all = rows.flatMap(Self.bytes)
        let sealed = rows.flatMap { Self.bytes(Array($0.prefix(2))) }
        #expect(outcome.rows.count == 3)
        #expect(try outcome.rows.wholeDigest == Self.digest(all))
        #expect(try outcome.rows.digest == Self.digest(sealed))
        #expect(!outcome.plan.contains { $0.contains("TEMP B-TREE") })
    }

    private static func digest(_ bytes: [UInt8]) throws -> [UInt8] {
        try HashFunction.sha256.digest(bytes.span)
    }

    private static func digest(ofSet rows: [[Value]]) throws -> [UInt8] {
        var hashes: [[UInt8]] = []
        for row in rows { hashes.append(try digest(bytes(row))) }
        hashes.sort { $0.lexicographicallyPrecedes($1) }
        return try digest(hashes.flatMap { $0 })
    }

    @Test("a table without a key is a set: only digests are sorted, and values stay together") func set() throws {
        let rows: [[Value]] = [
            [.blob([2]), .integer(1)], [.null, .integer(2)], [.blob([1]), .integer(3)],
            [.blob([1]), .integer(3)], [.blob([UInt8](repeating: 0, count: 100_000)), .null],
        ]
        let whole = try Self.digest(ofSet: rows)
        let sealed = try Self.digest(ofSet: rows.map { Array($0.prefix(1)) })
        for order in ["ASC", "DESC"] {
            let outcome = try Self.second(
                """
                CREATE TABLE f (c, x);
                INSERT INTO f VALUES (x'02', 1), (NULL, 2), (x'01', 3), (x'01', 3), (zeroblob(100000), NULL);
                CREATE TABLE t (c, x); INSERT INTO t SELECT * FROM f ORDER BY rowid \(order);
                """, ["x"])
            #expect(outcome.rows.wholeDigest == whole)
            #expect(outcome.rows.digest == sealed)
            #expect(!outcome.plan.contains { $0.contains("TEMP B-TREE") })
        }
        // The plain values of two rows change places.
        let swapped = try Self.second(
            """
            CREATE TABLE t (c, x);
            INSERT INTO t VALUES (x'02', 2), (NULL, 1), (x'01', 3), (x'01', 3), (zeroblob(100000), NULL)
            """, ["x"])
        #expect(swapped.rows.digest == sealed)
        #expect(swapped.rows.wholeDigest != whole)
    }
}
