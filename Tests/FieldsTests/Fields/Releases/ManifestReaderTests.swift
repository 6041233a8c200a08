import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Manifests of this library, checked by a program that was written from the article alone.
@Suite(.enabled(if: PythonReader.isPresent, PythonReader.missing))
struct ManifestReaderTests {
    private struct Request: Encodable {
        var manifest: String
        var publisher: String
        var dataset = Hex.encode(CellWorkbench.dataset)
        var changes: UInt64
        var code: String
        var tables: [String: [[[CellReader.Part]]]]
    }

    private static func part(_ value: Value) -> [CellReader.Part] {
        switch value {
        case .null: [.tag(0), .text("")]
        case .integer(let number): [.tag(1), .text(Hex.encode(number.bigEndianBytes))]
        case .real(let number): [.tag(2), .text(Hex.encode(number.bitPattern.bigEndianBytes))]
        case .text(let text): [.tag(3), .text(Hex.encode(Array(text.utf8)))]
        case .blob(let bytes): [.tag(4), .text(Hex.encode(bytes))]
        }
    }

    private static func rows(
        _ sql: String, _ connection: borrowing Connection
    ) throws -> [[[CellReader.Part]]] {
        try connection.query(SQL(verbatim: sql)) { row in
            try (0..<row.count).map { part(try row[$0]) }
        }
    }

    /// What anyone who has the file and the publisher's key knows of it.
    private static func request(_ bench: ReleaseWorkbench) throws -> Request {
        let connection = try bench.open()
        let mark = try #require(try RegistryMark(CellWorkbench.dataset, connection))
        return Request(
            manifest: try bench.text(), publisher: bench.pinned.description,
            changes: mark.changes, code: Hex.encode(mark.code),
            tables: [
                "film": try rows("SELECT id, title, note FROM film ORDER BY random()", connection),
                "my films": try rows("SELECT \"kéy\", 2, b FROM \"my films\"", connection),
            ])
    }

    @Test("it confirms an unchanged release of version 2, in a file that it decrypts itself") func second() throws {
        let bench = try ReleaseWorkbench(rows: 40)
        let connection = try bench.films.open()
        try connection.run(
            script: """
                CREATE TABLE "my films" ("kéy" NOT NULL, two INTEGER NOT NULL, b, "c c" REAL DEFAULT 3,
                    d AS (two + 1) STORED, e AS (two + 2), PRIMARY KEY ("kéy", two));
                CREATE TABLE bare (x, y, z);
                CREATE TABLE again (c, a TEXT NOT NULL COLLATE NOCASE PRIMARY KEY) WITHOUT ROWID;
                INSERT INTO "my films" ("kéy", two, b) VALUES ('b', 2, 'x'), ('a', 2, 7), (x'00', 2, NULL),
                    (15, 2, 'y'), (1, 2, x'01'), ('é', 2, 1.5), ('', 2, '');
                INSERT INTO bare VALUES (1, 2, 'a'), (1, 2, 'a'), (NULL, 1.5, zeroblob(70000)), ('é', 3, x'00');
                INSERT INTO again VALUES ('1', 'b'), ('2', 'A'), ('3', 'C');
                CREATE INDEX "an index" ON "my films" ("c c") WHERE two > 1;
                CREATE VIEW v AS SELECT 1;
                """)
        let keys = bench.films.keys
        try connection.protect("b", of: "my films", keys: keys)
        try connection.protect("note", of: "film", keys: keys, indexes: [SealedIndex.Request(.casefold)])
        try connection.protect("x", of: "bare", keys: keys, mode: .deterministic)
        try connection.protect("c", of: "again", keys: keys)
        let made = try bench.release()
        #expect(made.tables.map(\.name) == ["again", "bare", "film", "my films"])
        #expect(made.tables[1].key == [])
        #expect(made.tables[3].plainColumnNames == ["c c", "d"])
        #expect(try bench.findings() == [])
        #expect(try bench.wordsOfReader() == "holds")
        // Values of a table without a key change places.
        try bench.sabotage("UPDATE bare SET z = CASE y WHEN 3 THEN 'a' ELSE x'00' END WHERE y > 1.5", restoring: true)
        #expect(try bench.findings() == [.plainChanged(table: "bare")])
        #expect(try bench.wordsOfReader() == "plain-changed")
    }

    @Test("it judges each release, and every attack on it, as this library does")
    func agrees() throws {
        let bench = try ReleaseWorkbench(rows: 40)
        let connection = try bench.films.open()
        try connection.run(
            script: """
                CREATE TABLE "my films" ("kéy" NOT NULL, two INTEGER NOT NULL, b, PRIMARY KEY ("kéy", two));
                INSERT INTO "my films" VALUES ('b', 2, 'x'), ('a', 2, 7), (x'00', 2, NULL), (15, 2, 'y'),
                    (1, 2, x'01'), ('é', 2, 1.5), ('', 2, '');
                """)
        try connection.protect("b", of: "my films", keys: bench.films.keys)
        try connection.protect("note", of: "film", keys: bench.films.keys)
        try bench.release(1, .first)
        var requests: [Request] = []
        var due: [String] = []
        func note() throws {
            requests.append(try Self.request(bench))
            let codes = try bench.findings().map(\.code)
            due.append(codes.isEmpty ? "holds" : codes.joined(separator: " "))
        }
        try note()
        for sql in [
            "DELETE FROM film WHERE id = 9", "INSERT INTO film (id, title) SELECT 99, title FROM film WHERE id = 1",
            "INSERT INTO film (id, title) SELECT 9, title FROM film WHERE id = 1", "DELETE FROM film WHERE id = 99",
            "UPDATE \"my films\" SET b = NULL WHERE \"kéy\" = 'a'", "UPDATE lockstep_dataset SET mac = zeroblob(32)",
            "UPDATE lockstep_dataset SET changes = changes - 1", "UPDATE lockstep_dataset SET changes = changes + 2",
            "UPDATE lockstep_manifest SET text = replace(text, 'release 1 ', 'release 2 ')",
            "UPDATE lockstep_manifest SET text = substr(text, 1, length(text) - 143)",
        ] {
            try bench.sabotage(sql)
            try note()
        }
        requests[0].publisher = Base64.encode([UInt8](repeating: 1, count: 32))
        due[0] = "foreign-publisher"
        requests.append(requests[0])
        requests[requests.count - 1].publisher = bench.pinned.description
        due.append("holds")
        requests.append(requests[requests.count - 1])
        requests[requests.count - 1].dataset = String(repeating: "00", count: 16)
        due.append("other-dataset")
        #expect(
            try CellReader.answers(requests)
                == due.map { $0 == "manifest-forged" ? "forged" : $0 }
                .map { $0 == "manifest-malformed" ? "malformed" : $0 })
        #expect(Set(due).count > 8)
    }

    @Test("the article's example holds")
    func example() throws {
        let request = Request(
            manifest: ManifestFormatTests.example, publisher: "ebVWLo/mVPlAeLES6KmLp5AfhTrmlb7X4OORC60ElmQ", changes: 1,
            code: "7da3177695ed8f1c2d03af0174ac9ef295a67b9be1ebe3c148421f7e08c3a7c5",
            tables: [
                "movie": [
                    [Self.part(.integer(43)), Self.part(.null)],
                    [
                        Self.part(.integer(42)),
                        [
                            .tag(4),
                            .text(
                                "f900000003404142434445464748494a4b4c4d4e4f505152535455565773442d"
                                    + "3c358c97195f01a70ee1a2382d0f483fe9147a6f75bb"),
                        ],
                    ],
                ]
            ])
        #expect(try CellReader.answers([request]) == ["holds"])
    }
}
