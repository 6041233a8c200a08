import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// The text of a manifest, by the article's example, which Python's `cryptography` made.
struct ManifestFormatTests {
    static let example = """
        lockstep-manifest/1
        dataset oKGio6SlpqeoqaqrrK2urw
        release 4 2026-08-23
        registry 1 faMXdpXtjxwtA68BdKye8pWme5vh6+PBSEIffgjDp8U
        table movie 2 VLkoYBYFAxzZ8UERtxafR/sfW6Plds8DKFaao6LhhIY
        key id
        column 7 title
        sig ed25519 ebVWLo/mVPlAeLES6KmLp5AfhTrmlb7X4OORC60ElmQ BZC3g2DRAz4jL27oxd+VyHOXHiptg6xpfvRGZGiUp8lCG/MTyOcjPP+Qqj0SUjBz3GYsnKWuvITWvNRazd3UCA

        """

    static let second = """
        lockstep-manifest/2
        dataset oKGio6SlpqeoqaqrrK2urw
        release 4 2026-08-23
        registry 1 faMXdpXtjxwtA68BdKye8pWme5vh6+PBSEIffgjDp8U
        schema 2 CdIIGGXdk0OwF+YBe4PZ/FjCOM3q9wY3FRPBE5wN2sQ
        table movie 2 VLkoYBYFAxzZ8UERtxafR/sfW6Plds8DKFaao6LhhIY njwZGC28QiQGCgRA7icuuLVqGKbsY6JxOzkr//Iw0e4
        key id
        column 7 title
        token 7 1 title_exact_token
        plain year
        index movie_year NjjK21YVZ7epSMrn/NRclb56nzbuda8p/wLMFXv5Ldk
        omits rows of tables without a sealed column
        omits tables of the engine and of SQLite: the ledger, the memory of keyrings, statistics
        omits rowids that no column names, values of VIRTUAL generated columns, and the header of the file
        omits whether an older copy of the whole file was put back
        sig ed25519 ebVWLo/mVPlAeLES6KmLp5AfhTrmlb7X4OORC60ElmQ oqUn2aWqz0HIt7NfgR6rhnafjFiiR66uzXbmNAOJKZ7s5rylG0s1hRtO/UKGMu8Xovh86cxY53azJn0TFAw9CQ

        """

    /// An example with one line replaced by another.
    private static func with(
        _ lines: [String], at line: Int, through last: Int? = nil, in example: String = example
    ) -> String {
        var all = example.split(separator: "\n").map(String.init)
        all.replaceSubrange(line...(last ?? line), with: lines)
        return all.joined(separator: "\n") + "\n"
    }

    @Test("the example is read, verified and reproduced")
    func knownAnswer() throws {
        let manifest = try Manifest(Self.example)
        #expect(manifest.dataset == CellWorkbench.dataset)
        #expect(manifest.number == 4 && manifest.registryChanges == 1)
        #expect("\(manifest.day)" == "2026-08-23")
        #expect(manifest.tables.map(\.name) == ["movie"])
        #expect(manifest.tables[0].key == ["id"] && manifest.tables[0].rowCount == 2)
        #expect(manifest.tables[0].columns == [Manifest.Table.Column(id: 7, name: "title")])
        #expect(try manifest.isSigned())
        #expect(manifest.text == Self.example)
        let key = try SigningKey(seed: Secrets.make([UInt8](1...32)))
        #expect(try key.line(over: manifest.textAboveSignature) == manifest.signature)
        #expect(manifest.signature.text.utf8.count + 1 == SignatureLine.length)
    }

    @Test("the example of version 2 is read, verified and reproduced")
    func secondKnownAnswer() throws {
        let manifest = try Manifest(Self.second)
        #expect(manifest.formatVersion == 2 && manifest.definitionCount == 2)
        let table = manifest.tables[0]
        #expect(table.key == ["id"] && table.columnNames == ["title"])
        #expect(
            table.tokens == [
                Manifest.Table.Token(column: 7, number: 1, name: "title_exact_token")
            ])
        #expect(table.plainColumnNames == ["year"] && table.indexNames == ["movie_year"])
        #expect(try manifest.isSigned())
        #expect(manifest.text == Self.second)
        let key = try SigningKey(seed: Secrets.make([UInt8](1...32)))
        #expect(try key.line(over: manifest.textAboveSignature) == manifest.signature)
        let first = try Manifest(Self.example)
        #expect(first.formatVersion == 1 && first.definitionCount == nil)
        #expect(first.tables[0].rows.digest == table.rows.digest)
    }

    @Test("the digests of the example of version 2 are those of its rows and definitions") func secondDigests() throws {
        let connection = try Connection.inMemory()
        try connection.run(
            script: """
                CREATE TABLE movie (id INTEGER PRIMARY KEY, title, year INTEGER, title_exact_token INTEGER);
                CREATE VIEW film AS SELECT id, year FROM movie;
                CREATE INDEX movie_year ON movie (year);
                INSERT INTO movie VALUES (43, NULL, NULL, NULL), (42, x'\(Self.cell)', 1942, 42705);
                """)
        let manifest = try Manifest(Self.second)
        let table = manifest.tables[0]
        let shape = try #require(try SealedTable("movie", connection))
        let rows = try ManifestRows(
            shape, columns: ["title"], others: table.otherNames, connection)
        #expect(rows == table.rows)
        let definitions = try ManifestDefinition.all(connection)
        #expect(try ManifestSchema(definitions, tables: ["Movie"]) == manifest.schema)
        let index = definitions.filter { $0.isIndex(of: "movie") }
        #expect(index.map(\.digest) == table.indexes.map(\.digest))
    }

    private static let cell =
        "f900000003404142434445464748494a4b4c4d4e4f505152535455565773442d"
        + "3c358c97195f01a70ee1a2382d0f483fe9147a6f75bb"

    private static let digest = "VLkoYBYFAxzZ8UERtxafR/sfW6Plds8DKFaao6LhhIY"
    private static let malformed: [String] = [
        "", "\n", String(example.dropLast()), example + "\n", example + "x\n", "\n" + example, example + example,
        example.replacing("\n", with: "\r\n"), "\u{FEFF}" + example, example.replacing("movie", with: "mövie"),
        example.replacing("key id", with: "key  id"), example.replacing("key id", with: "key id "),
        example.replacing("key id", with: "key"), example.replacing("key id", with: "key\tid"),
        example.replacing("key id", with: "Key id"), with(["lockstep-manifest/2"], at: 0), with([], at: 0),
        with([], at: 1), with([], at: 2), with([], at: 3), with([], at: 4), with([], at: 6), with([], at: 7),
        with(["release 4 2026-08-23", "dataset oKGio6SlpqeoqaqrrK2urw"], at: 1, through: 2),
        with(["dataset oKGio6SlpqeoqaqrrK2urx"], at: 1), with(["dataset oKGio6SlpqeoqaqrrK2u"], at: 1),
        with(["dataset oKGio6SlpqeoqaqrrK2urw=="], at: 1),
        with(["release 0 2026-08-23"], at: 2), with(["release 04 2026-08-23"], at: 2),
        with(["release +4 2026-08-23"], at: 2), with(["release -4 2026-08-23"], at: 2),
        with(["release 9223372036854775808 2026-08-23"], at: 2),
        with(["release 4 2026-02-30"], at: 2), with(["release 4 2026-8-23"], at: 2),
        with(["release 4"], at: 2), with(["release 4 2026-08-23 x"], at: 2),
        with(["registry 0 faMXdpXtjxwtA68BdKye8pWme5vh6+PBSEIffgjDp8U"], at: 3),
        with(["registry 1 faMXdpXtjxwtA68BdKye8pWme5vh6+PBSEIffgjDp8"], at: 3), with(["table movie 2"], at: 4),
        with(["table movie -1 \(digest)"], at: 4), with(["table mo-vie 2 \(digest)"], at: 4),
        with(["table %6Dovie 2 \(digest)"], at: 4), with(["table movie 2 \(digest)", "table film 2 \(digest)"], at: 4),
        with(["key id", "table movie 2 \(digest)"], at: 4, through: 5),
        with(["column 7 title", "key id"], at: 5, through: 6),
        with(["column 0 title"], at: 6), with(["column 4294967296 title"], at: 6),
        with(["column 7 title", "column 7 note"], at: 6),
        with(["column 7 title", "column 6 note"], at: 6), with(["column 7"], at: 6),
        with(["column 7 title", "table film 2 \(digest)", "column 8 title"], at: 6),
        with(["column 7 title", "table movie 2 \(digest)", "column 8 title"], at: 6),
        with(["column 7 title", "table note 2 \(digest)", "column 7 title"], at: 6),
        example.replacing("sig ed25519", with: "sig rsa"), example.replacing("sig ed25519 ", with: "sig ed25519 A"),
        with(["sig ed25519 ebVWLo/mVPlAeLES6KmLp5AfhTrmlb7X4OORC60ElmQ"], at: 7),
        with(Array(repeating: "key \(String(repeating: "a", count: 4000))", count: 300), at: 5),
    ]

    private static func second(_ lines: [String], at line: Int, through last: Int? = nil) -> String {
        with(lines, at: line, through: last, in: second)
    }

    private static let secondMalformed: [String] =
        [
            String(second.dropLast()), second + "\n", second + "x\n", second + second,
            second.replacing("\n", with: "\r\n"), second.replacing("plain year", with: "plain  year"),
            second(["lockstep-manifest/1"], at: 0), second(["lockstep-manifest/3"], at: 0),
            // The line of the schema.
            second(["schema 0 \(digest)"], at: 4), second(["schema 02 \(digest)"], at: 4),
            second(["schema 9223372036854775808 \(digest)"], at: 4),
            second(["schema 2"], at: 4), second(["schema 2 \(digest) x"], at: 4),
            second(["schema 2 \(digest.dropLast())"], at: 4),
            second(["schema 2 \(digest)", "schema 2 \(digest)"], at: 4),
            // A table without its second digest, or with a third.
            second(["table movie 2 \(digest)"], at: 5), second(["table movie 2 \(digest) \(digest) \(digest)"], at: 5),
            // Tokens.
            second(["token 0 1 a"], at: 8), second(["token 7 0 a"], at: 8), second(["token 7 4294967296 a"], at: 8),
            second(["token 7 1"], at: 8), second(["token 7 1 a-b"], at: 8), second(["token 8 1 a"], at: 8),
            second(["token 7 1 a", "token 7 1 b"], at: 8), second(["token 7 2 a", "token 7 1 b"], at: 8),
            second(["plain year", "token 7 1 a"], at: 8, through: 9),
            second(["token 7 1 a", "column 7 title"], at: 7, through: 8),
            // Plain columns.
            second(["plain"], at: 9), second(["plain %79ear"], at: 9), second(["plain year", "plain year"], at: 9),
            second(["plain year", "plain id"], at: 9), second(["plain year", "plain Year"], at: 9),
            second(["index a \(digest)", "plain year"], at: 9, through: 10),
            // Indexes.
            second(["index movie_year"], at: 10), second(["index movie_year \(digest)="], at: 10),
            second(["index a \(digest)", "index a \(digest)"], at: 10),
            second(["index b \(digest)", "index a \(digest)"], at: 10), second(["index  \(digest)"], at: 10),
            // A second table with the column of the first.
            second(["index a \(digest)", "table note 2 \(digest) \(digest)", "column 7 title"], at: 10),
            second(["index a \(digest)", "table note 2 \(digest) \(digest)"], at: 10), second([], at: 15),
        ]
        // Any change to the lines that say what is not covered.
        + (11...14).flatMap { line in
            [second([], at: line), second(["omits nothing"], at: line), second(["omits"], at: line)]
        }
        + [
            second([], at: 11, through: 14),
            second(Manifest.omissions.reversed().map { "omits \($0)" }, at: 11, through: 14),
            second((Manifest.omissions + ["more"]).map { "omits \($0)" }, at: 11, through: 14),
            with(Manifest.omissions.map { "omits \($0)" } + ["sig"], at: 7),
        ]

    @Test("nothing looser than version 2 is read", arguments: secondMalformed.indices)
    func secondRefused(_ number: Int) {
        #expect(Self.secondMalformed[number] != Self.second)
        Refusal.expect(.manifestMalformed) { _ = try Manifest(Self.secondMalformed[number]) }
    }

    @Test("version 2 is read without key, tokens, plain columns and indexes, and with many")
    func secondShapes() throws {
        for text in [
            Self.second([], at: 6), Self.second([], at: 8), Self.second([], at: 9), Self.second([], at: 10),
            Self.second([], at: 8, through: 10), Self.second(["token 7 1 a", "token 7 4294967295 %20"], at: 8),
            Self.second(["plain Year", "plain a%20b", "plain year"], at: 9),
            Self.second(
                [
                    "index a \(Self.digest)", "table note 0 \(Self.digest) \(Self.digest)",
                    "column 1 x",
                ],
                at: 10),
        ] {
            let manifest = try Manifest(text)
            #expect(manifest.text == text)
            let isSigned = try manifest.isSigned()
            #expect(!isSigned)
        }
    }

    @Test("nothing looser than the format is read", arguments: malformed.indices)
    func refused(_ number: Int) {
        Refusal.expect(.manifestMalformed) { _ = try Manifest(Self.malformed[number]) }
    }

    @Test("several tables and keys are read, and one without a key")
    func shapes() throws {
        for text in [
            Self.with([], at: 5), Self.with(["key id", "key part"], at: 5),
            Self.with(["column 7 title", "column 4294967295 a%20b"], at: 6),
            Self.with(["column 7 title", "table movie%20two 0 \(Self.digest)", "column 1 x"], at: 6),
            Self.with(["release 9223372036854775807 0000-01-01"], at: 2),
        ] {
            let manifest = try Manifest(text)
            #expect(manifest.text == text)
            let isSigned = try manifest.isSigned()
            #expect(!isSigned)
        }
    }
}
