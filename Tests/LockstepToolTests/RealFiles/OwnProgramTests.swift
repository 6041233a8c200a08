import Subprocess
import SystemPackage
import TestSupport
import Testing

@testable import Lockstep

/// Files of programs that bring functions and collations of their own, through the tool, which has neither.
@Suite("The tool and files of other programs")
struct OwnProgramTests {
    struct Program: CustomTestStringConvertible, Sendable {
        let name: String
        let schema: String
        /// What a notice of `adopt` names.
        let notice: String
        /// A table for a version.
        let table: String
        var testDescription: String { name }
    }

    private static let programs = [
        Program(
            name: "a catalogue of books",
            schema: """
                CREATE TABLE books (id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL COLLATE NOCASE, sort TEXT,
                    uuid TEXT, path TEXT NOT NULL DEFAULT '');
                CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE, UNIQUE (name));
                CREATE TABLE link (id INTEGER PRIMARY KEY, book INTEGER NOT NULL, author INTEGER NOT NULL,
                    UNIQUE (book, author));
                INSERT INTO books (title) VALUES ('The Moon'), ('Die Sonne');
                INSERT INTO authors (name) VALUES ('Ann'), ('Bob');
                INSERT INTO link (book, author) VALUES (1, 1), (2, 2);
                CREATE INDEX books_sort ON books (sort COLLATE NOCASE);
                CREATE VIEW meta AS SELECT id, title, (SELECT sortconcat(link.id, name) FROM link
                    JOIN authors ON author = authors.id WHERE book = books.id) AS authors FROM books;
                CREATE TRIGGER books_new AFTER INSERT ON books
                    BEGIN UPDATE books SET sort = title_sort(new.title), uuid = uuid4() WHERE id = new.id; END;
                CREATE TRIGGER link_new BEFORE INSERT ON link BEGIN SELECT CASE WHEN (SELECT id FROM books
                    WHERE id = new.book) IS NULL THEN RAISE(ABORT, 'there is no such book') END; END;
                """, notice: "title_sort", table: "books"),
        Program(
            name: "a list in an order of its own",
            schema: """
                CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT COLLATE PINYIN, year INTEGER);
                CREATE INDEX song_title ON song (title, year);
                CREATE TABLE singer (name TEXT PRIMARY KEY COLLATE PINYIN) WITHOUT ROWID;
                INSERT INTO song VALUES (1, 'az', 1), (2, 'ba', 2), (3, 'cm', 3);
                INSERT INTO singer VALUES ('az'), ('ba'), ('cm');
                """, notice: "PINYIN", table: "song"),
    ]

    private let project: NotesProject

    init() throws { project = try NotesProject() }

    private static var collation: Collation {
        Collation("PINYIN") { one, other in
            let (one, other) = (Array(one.utf8.reversed()), Array(other.utf8.reversed()))
            return one == other ? 0 : one.lexicographicallyPrecedes(other) ? -1 : 1
        }
    }

    private func make(_ schema: String) throws {
        let path = project.folder.file("plain.sqlite")
        try Bytes.write([], to: path)
        var options = ConnectionOptions()
        options.collations = [Self.collation]
        try ExternalDatabase.makePlaintext(path, options: options).run(script: schema)
    }

    @Test("Every command goes on, and names what it could not compare", arguments: programs)
    func commands(_ program: Program) async throws {
        try make(program.schema)
        let adopted = try await project.run(["adopt", "plain.sqlite"])
        #expect(adopted.code == .exited(0) && adopted.reported.contains(program.notice), "\(adopted.reported)")
        let set = ["-m", "notes"]
        try await project.expect(0, ["verify"])
        try await project.expect(0, ["baseline", "--from-database"] + set)
        try project.write(2, "-- lockstep: up\nALTER TABLE \(program.table) ADD COLUMN note TEXT;")
        try await project.expect(3, ["plan"] + set)
        try await project.expect(0, ["rehearse"] + set)
        try await project.expect(0, ["migrate", "--safe"] + set)
        let verified = try await project.run(["verify"] + set)
        #expect(verified.code == .exited(0) && verified.reported.contains(program.notice), "\(verified.reported)")
        try await project.expect(0, ["backup", "backup.db"])
        try await project.expect(0, ["keys", "rotate-database"])
        try await project.expect(0, ["verify"] + set)
        try await project.expect(0, ["restore", "backup.db"])
        try await project.expect(0, ["verify"] + set)
        try await project.expect(0, ["export", "out.sqlite", "--plaintext", "--i-understand"])
        // The program finds its rows by its own order.
        let path = project.folder.file("n.db")
        var options = ConnectionOptions()
        options.collations = [Self.collation]
        let connection = try Connection.open(path, key: project.keyring().keyOfNew(path), options: options)
        try IntegrityPragma.require(connection)
    }

    @Test("What no index shows is named with the option that leaves it out, and the option works") func leftOut()
        async throws
    {
        try make(
            "CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT); CREATE INDEX ends ON song (title COLLATE PINYIN) WHERE id > 0; INSERT INTO song VALUES (1, 'a'), (2, 'b');"
        )
        let refused = try await project.run(["adopt", "plain.sqlite"])
        #expect(refused.code == .exited(1) && refused.reported.contains("PINYIN"), "\(refused.reported)")
        #expect(refused.reported.contains("--leave-out ends"), "\(refused.reported)")
        let misspelt = try await project.run(["adopt", "plain.sqlite", "--leave-out", "end"])
        #expect(misspelt.code == .exited(65) && misspelt.reported.contains("to leave out"), "\(misspelt.reported)")
        let adopted = try await project.run(["adopt", "plain.sqlite", "--leave-out", "ends"])
        #expect(
            adopted.code == .exited(0) && adopted.reported.contains("left out, as asked: ends"), "\(adopted.reported)")
        try await project.expect(0, ["verify"])
    }
}
