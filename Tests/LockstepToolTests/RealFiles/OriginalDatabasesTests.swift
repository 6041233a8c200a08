import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// What the five original programs left on disk, through the tool from end to end.
@Suite("Databases of the original programs", .enabled(if: Original.isPossible, Original.missing))
struct OriginalDatabasesTests {
    @Test(
        "Each is adopted, baselined, migrated, verified, listed and exported",
        arguments: Original.all)
    func endToEnd(original: Original) async throws {
        let folder = try TemporaryFolder()
        try Bytes.write(Array(original.sql.utf8), to: folder.file("original.sql"))
        let set = "-m \"$PACKAGE/Migrations/\(original.set)\""
        let fields = original.dataset.map { "--fields \($0)" } ?? ""
        let dataset = original.dataset.map {
            "lockstep keys init --dataset \($0) --new-key-file k -d data.db >/dev/null"
        }
        let script = """
            set -eu
            sqlite3 -batch -bail original.sqlite <original.sql
            chmod 444 original.sqlite
            cksum original.sqlite >before
            lockstep keys create-key-file k >/dev/null
            export LOCKSTEP_KEY_FILE=k
            lockstep adopt original.sqlite >/dev/null
            \(dataset ?? "")
            lockstep baseline --at 1 \(set)
            lockstep migrate \(set) \(fields) 2>&1 | sed 's/,.*//'
            lockstep verify \(set) \(fields) | tail -n 1
            lockstep list \(original.list) \(fields)
            lockstep export \(original.set) out --plaintext \(fields)
            cksum original.sqlite | cmp - before
            """
        let shell = ToolShell(home: folder.path)
        let result = try await shell.run(script, in: folder.path, ["PACKAGE": Programs.package.string])
        #expect(result.status == .exited(0), "\(original.name): \(result.text)\(result.errors)")
        for line in original.expected + ["recorded 1 version", "verified: everything holds"] {
            #expect(result.text.contains(line), "\(original.name), \(line): \(result.text)")
        }
        let exported = try await shell.run("cat out/* out 2>/dev/null", in: folder.path)
        #expect(exported.text.contains(original.exported), "\(original.name): \(exported.text)")
    }
}

/// The schema and rows of an original program.
struct Original: Sendable, CustomTestStringConvertible {
    let name: String
    let set: String
    var dataset: String?
    /// The arguments of `lockstep list`.
    let list: String
    let sql: String
    /// Parts of what the commands print.
    let expected: [String]
    /// A part of what is exported.
    let exported: String

    var testDescription: String { name }

    static let missing: Comment = "there is no program sqlite3"
    static let isPossible = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]
        .contains { FileManager.default.isExecutableFile(atPath: "\($0)/sqlite3") }

    static let all = notes + [microblog] + contacts + [photos, movies]

    private static let notes = ["UTF-8", "UTF-16le", "UTF-16be"].map { encoding in
        Original(
            name: "notes in \(encoding)", set: "notes", list: "notes",
            sql: """
                PRAGMA encoding = '\(encoding)';
                CREATE TABLE records(id INTEGER PRIMARY KEY, title TEXT, txt TEXT);
                INSERT INTO records VALUES (1, 'O''Brien called', 'O''Brien called, ünïcödé 🎬');
                INSERT INTO records VALUES (2, NULL, NULL);
                """, expected: ["O'Brien called"], exported: "O'Brien called, ünïcödé 🎬")
    }

    /// The program wrote `user='%@'` with the object, so that its description is where the key belongs.
    private static let microblog = Original(
        name: "microblog", set: "microblog", list: "microblog",
        sql: """
            CREATE TABLE User (Id integer PRIMARY KEY AUTOINCREMENT,name text,screenName text, profileImageUrl text,mbtype text,city text);
            CREATE TABLE Status (Id integer PRIMARY KEY AUTOINCREMENT,source text,createdAt date,"text" text,user integer REFERENCES User (Id));
            INSERT INTO User (name, screenName, profileImageUrl, mbtype, city) VALUES ('Ann', 'ann', '(null)', '1', 'Ulm');
            INSERT INTO Status (source, createdAt, "text", user) VALUES ('web', '2012-08-28 20:35:00 +0000', 'of Ann', '1');
            INSERT INTO Status (source, createdAt, "text", user) VALUES ('web', '2012-08-28 20:36:00', 'of an object', '<User: 0x6d1b0>');
            INSERT INTO Status (source, createdAt, "text", user) VALUES ('web', '2012-08-28 20:37:00', 'of nobody', '(null)');
            """,
        expected: [
            "2 rows: statuses named no user by key",
            "1   2012-08-28 20:35:00Z  Ann   from web  of Ann", "of an object",
            "of nobody",
        ], exported: "of an object")

    private static let contacts = [("", ""), (" TEXT", " with types")].map { type, name in
        Original(
            name: "contacts\(name)", set: "contacts", dataset: "contacts", list: "contacts",
            sql: """
                CREATE TABLE Contacts(idx INTEGER PRIMARY KEY, firstname\(type), lastname\(type), phone\(type));
                INSERT INTO Contacts (firstname, lastname, phone) VALUES ('Pat', 'O''Brien', '030 1234');
                INSERT INTO Contacts (firstname, lastname, phone) VALUES ('Nobody', NULL, 491234);
                """, expected: ["O'Brien   Pat        030 1234", "491234"], exported: "O'Brien")
    }

    private static let photos = Original(
        name: "photos", set: "photos", list: "photos",
        sql: """
            CREATE TABLE photos(id INTEGER PRIMARY KEY, name TEXT, photo BLOB);
            INSERT INTO photos VALUES (1, 'a.gif', CAST('GIF89a-1' AS BLOB)), (2, 'O''Brien', NULL);
            """, expected: ["image/gif", "O'Brien"], exported: "GIF89a-1")

    private static let movies = Original(
        name: "films", set: "movies", dataset: "movies", list: "movies --category Crime",
        sql: """
            CREATE TABLE movies (movieID integer primary key autoincrement not null, title text not null, category text not null, year integer not null, movieURL text, coverURL text not null, watched bool not null default 0, likes integer not null);
            INSERT INTO movies (title, category, year, movieURL, coverURL, watched, likes) VALUES ('Ocean''s 11', 'Crime', 1960, 'u', 'c', 1, 3);
            INSERT INTO movies (title, category, year, movieURL, coverURL, likes) VALUES ('M', 'Crime', 1931, '', 'c', 0);
            """, expected: ["Ocean's 11"], exported: "Ocean's 11\tCrime\t1960\tu\tc\t1\t3\n")
}
