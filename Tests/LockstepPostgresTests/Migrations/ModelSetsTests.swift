import Lockstep
import SystemPackage
import TestServers
import TestSupport
import Testing

@testable import LockstepPostgres

@Suite("The model sets on servers", .withServer)
struct ModelSetsTests {
    static let names = ["contacts", "microblog", "movies", "notes", "photos"]

    private static func folder(_ name: String) -> FilePath {
        Programs.package.appending("Migrations/\(name)")
    }

    /// The set without the lines that seal, which need the keys of a dataset.
    private static func unsealed(
        _ name: String, _ engine: DatabaseEngine
    ) throws -> MigrationSet {
        let set = try MigrationSet(folder: folder(name), engine: engine)
        let files = try set.files.map { file in
            let text = String(decoding: try Bytes.read(folder(name).appending(file.fileName)), as: UTF8.self)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).filter {
                !$0.contains("protect ") && !$0.contains("-- lockstep: plaintext ")
            }
            return (name: file.fileName, content: lines.joined(separator: "\n"))
        }
        return try MigrationSet(name: name, files: files, engine: engine)
    }

    /// `table.column`, with a mark where NULL is refused, in the order of the columns; keys without the mark.
    private static func columns(_ server: borrowing ServerConnection) throws -> [String] {
        try server.query(
            """
            SELECT c.relname || '.' || a.attname
                || CASE WHEN a.attnotnull AND i.indrelid IS NULL THEN ' !' ELSE '' END
            FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
            LEFT JOIN pg_index AS i ON i.indrelid = c.oid AND i.indisprimary AND a.attnum = ANY (i.indkey)
            WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0
                AND NOT a.attisdropped AND c.relname NOT LIKE 'lockstep%'
            ORDER BY c.relname COLLATE "C", a.attnum
            """
        ) { try $0[0] }
    }

    private static func columns(_ file: borrowing Connection) throws -> [String] {
        try file.query(
            """
            SELECT t.name || '.' || c.name || CASE WHEN c."notnull" AND NOT c.pk THEN ' !' ELSE '' END
            FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
            WHERE t.type = 'table' AND t.name NOT LIKE 'lockstep%' AND t.name NOT LIKE 'sqlite%'
                AND t.name NOT LIKE '%\\_search%' ESCAPE '\\'
            ORDER BY t.name, c.cid
            """
        ) { try $0[0] }
    }

    @Test("Each version makes the same columns as in a file, up and down", arguments: names)
    func columns(_ name: String) throws {
        let server = try TestServer.connection()
        let file = try Connection.inMemory()
        let (ours, theirs) = (
            try Self.unsealed(name, .postgres), try Self.unsealed(name, .sqlite)
        )
        #expect(ours.files.map(\.version) == theirs.files.map(\.version))
        #expect(ours.files.map(\.name) == theirs.files.map(\.name))
        #expect(ours.files.allSatisfy { $0.fileName.hasSuffix(".postgres.sql") })
        let versions = ours.files.map(\.version)
        for version in versions + versions.reversed() + [.unversioned] {
            let target = Plan.Target.version(version)
            _ = try ServerMigrator(ours).run(version == .unversioned ? .downTo(version) : target, on: server)
            _ = try Migrator(theirs).run(version == .unversioned ? .downTo(version) : target, on: file)
            #expect(try Self.columns(server) == Self.columns(file), "version \(version)")
        }
    }

    /// Rows of version 1, what the newest version makes of them, and what is left of that at version 1.
    private static let rows:
        [(
            set: String, insert: [ServerSQL], query: ServerSQL, new: String,
            first: ServerSQL, old: String
        )] = [
            (
                "contacts", ["INSERT INTO \"Contacts\" (firstname, phone) VALUES ('Ann', ' 030 1 '), (NULL, ' ')"],
                """
                SELECT string_agg(firstname || '|' || lastname || '|' || coalesce(encode(number, 'escape'), '-'),
                    ' ' ORDER BY idx)
                FROM "Contacts" LEFT JOIN phone ON contact = idx
                """, "Ann||030 1 ||-",
                "SELECT string_agg(firstname || '|' || coalesce(phone, '-'), ' ' ORDER BY idx) FROM \"Contacts\"",
                "Ann|030 1 |-"
            ),
            (
                "microblog",
                [
                    "INSERT INTO \"User\" (name) VALUES ('Ann')",
                    """
                    INSERT INTO "Status" ("createdAt", text, "user")
                    VALUES ('2012-08-28 20:35:00.000001+08', NULL, 1), (NULL, 'a word', NULL)
                    """,
                ],
                """
                SELECT string_agg(coalesce("createdAt"::text, '-') || '|' || s.text || '|' || coalesce("screenName", '-'),
                    ' ' ORDER BY s."createdAt" DESC NULLS LAST)
                FROM "Status" AS s LEFT JOIN "User" AS u ON u."Id" = "user"
                """, "1346157300000001||Ann -|a word|-", "SELECT string_agg(\"createdAt\"::text, ' ') FROM \"Status\"",
                "2012-08-28 12:35:00.000001+00"
            ),
            (
                "movies",
                [
                    """
                    INSERT INTO movies (title, category, year, "movieURL", "coverURL", watched, likes)
                    VALUES ('M', 'crime', 1931, ' ', 'c', 7, -1), ('N', 'x', 1, 'u', 'c', 0, 9)
                    """
                ],
                """
                SELECT string_agg(convert_from(title, 'UTF8') || watched || likes
                    || coalesce(convert_from("movieURL", 'UTF8'), '-'), ' ' ORDER BY "movieID")
                FROM movies
                """, "M10- N03u",
                "SELECT string_agg(title || category, ' ' ORDER BY title) FROM movies",
                "Mcrime Nx"
            ),
            (
                "notes",
                [
                    "INSERT INTO records (title, txt) VALUES (' ', ' long text'), ('t', NULL)"
                ],
                "SELECT string_agg(title || '|' || txt, ' ' ORDER BY id) FROM records",
                "long text| long text t|",
                "SELECT string_agg(title, ' ' ORDER BY id) FROM records", "long text t"
            ),
            (
                "photos",
                ["INSERT INTO photos (photo) VALUES ('\\xFFD8FF00'), (NULL)"],
                """
                SELECT string_agg(name || '|' || "mediaType" || '|' || "byteCount" || '|'
                    || left(encode(sha256, 'hex'), 6), ' ' ORDER BY id)
                FROM photos
                """,
                "photo 1|image/jpeg|4|374ffe photo 2|application/octet-stream|0|e3b0c4",
                "SELECT string_agg(encode(photo, 'hex'), ' ' ORDER BY id) FROM photos",
                "ffd8ff00 "
            ),
        ]

    @Test("Rows come through every version, and back", arguments: names)
    func rows(_ name: String) throws {
        let server = try TestServer.connection()
        let test = try #require(Self.rows.first { $0.set == name })
        let migrator = ServerMigrator(try Self.unsealed(name, .postgres))
        _ = try migrator.run(.version(MigrationVersion(1)), on: server)
        for insert in test.insert { try server.execute(insert) }
        _ = try migrator.run(on: server)
        #expect(try server.value(test.query) == test.new)
        _ = try migrator.run(.downTo(MigrationVersion(1)), on: server)
        #expect(try server.value(test.first) == test.old)
    }

    @Test(
        "With the keys of their dataset the columns are sealed on an empty server, and given up again",
        arguments: [
            (
                "movies", 4,
                [
                    "title": Value.text("M"), "category": .text("crime"),
                    "year": .integer(1931),
                    "coverURL": .text("c"),
                ]
            ), ("contacts", 1, [:]),
        ])
    func sealed(_ name: String, _ count: Int, _ row: [String: Value]) throws {
        var options = ServerOptions()
        options.fieldKeys = [try Keyring.create(.fields).fieldKeys(named: name)]
        options.mayBeUnsealed = true
        let server = try ServerConnection(
            TestServer.shared.get().address(), .none, options)
        let set = try MigrationSet(folder: Self.folder(name), engine: .postgres)
        #expect(try EngineAgreement(set, MigrationSet(folder: Self.folder(name))).findings(.error).isEmpty)
        let migrator = ServerMigrator(set)
        #expect(try migrator.preview(on: server).lint.allSatisfy { $0.level != .error })
        _ = try migrator.run(on: server)
        #expect(server.fields?.columns.count == count)
        if !row.isEmpty {
            try server.insert(name, row)
            #expect(
                try server.query("SELECT \"movieID\", title FROM movies") {
                    try $0[1] as String
                } == ["M"])
            try server.execute("TRUNCATE movies")
        }
        _ = try migrator.run(.back(1), on: server)
        #expect(server.fields?.columns.isEmpty == true)
        #expect(try migrator.run(on: server).steps.count == 1)
    }

    @Test("Parts go back into their photo, and a search finds words by its index")
    func contents() throws {
        let server = try TestServer.connection()
        let photos = ServerMigrator(try Self.unsealed("photos", .postgres))
        _ = try photos.run(on: server)
        try server.execute(
            "INSERT INTO photos VALUES (1, 'a', 'x', 3, sha256('\\x010203'), '')")
        try server.execute(
            "INSERT INTO photo_part VALUES (1, 2, 1, '\\x03'), (1, 0, 0, '\\x0102')")
        _ = try photos.run(.downTo(MigrationVersion(2)), on: server)
        #expect(try server.value("SELECT encode(photo, 'hex') FROM photos") == "010203")
        _ = try ServerMigrator(Self.unsealed("notes", .postgres)).run(on: server)
        let long = String(repeating: "many words ", count: 300_000)
        try server.execute("INSERT INTO records (title, txt) VALUES ('A', 'some word'), ('B', \(long))")
        try server.execute("SET enable_seqscan = off")
        let search: ServerSQL = """
            SELECT title FROM records
            WHERE to_tsvector('simple', left(title || ' ' || txt, 200000)) @@ plainto_tsquery('simple', 'Word')
            """
        #expect(try server.value(search) == "A")
        let plan = try server.query("EXPLAIN \(verbatim: search.text)") {
            try $0[0] as String
        }
        #expect(plan.contains { $0.contains("records_search") })
    }
}
