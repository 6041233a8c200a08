import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Sealing as a part of a schema's history.
struct SealingMigrationTests {
    let folder: TemporaryFolder
    let keys: FieldKeys
    let other: FieldKeys

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path.appending("films").string, withIntermediateDirectories: false)
        keys = try CellWorkbench.keys(named: "catalogue")
        other = try CellWorkbench.keys(dataset: [UInt8](repeating: 1, count: 16), named: "elsewhere")
        try write(
            "0001_film.sql",
            """
            CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT NOT NULL, year INTEGER);
            -- lockstep: down
            DROP TABLE film;
            """)
        try write(
            "0002_protect.sql",
            """
            ALTER TABLE film ADD COLUMN note TEXT;
            -- lockstep: protect film.title dataset=catalogue index=casefold:20 batch=3
            UPDATE film SET note = 'sealed in ' || year;
            -- lockstep: down
            -- lockstep: unprotect film.title dataset=catalogue batch=4
            -- lockstep: allow loss of column film.note
            ALTER TABLE film DROP COLUMN note;
            """)
    }

    private var files: FilePath { folder.path.appending("films") }

    private func write(_ name: String, _ text: String) throws {
        try Bytes.write(Array("-- lockstep: up\n\(text)".utf8), to: files.appending(name))
    }

    private func open(_ keys: [FieldKeys]? = nil) throws -> Connection {
        let path = folder.path.appending("films.db")
        var options = ConnectionOptions()
        options.fieldKeys = keys ?? [self.keys]
        if !options.fieldKeys.isEmpty { options.mayBeUnsealed = true }
        let key = try DatabaseKey(
            secret: SecretBytes(copying: [UInt8](repeating: 7, count: 32).span), salt: [UInt8](repeating: 5, count: 16))
        return FileAccess.exists(path)
            ? try Connection.open(path, key: key, options: options)
            : try Connection.create(path, key: key, options: options)
    }

    @discardableResult
    private func migrate(
        _ target: Plan.Target = .latest, _ connection: borrowing Connection,
        observe: @escaping (MigrationEvent) throws -> Void = { _ in }
    ) throws -> MigrationReport {
        try Migrator(MigrationSet(folder: files), observe: observe).run(target, on: connection)
    }

    private func fill(_ connection: borrowing Connection) throws {
        for row in 0..<10 {
            try connection.execute(
                "INSERT INTO film (title, year) VALUES (?, ?)", SealedTableWorkbench.title(row), 1900 + row)
        }
    }

    private static let titles = (0..<10).map { SealedTableWorkbench.title($0) }

    @Test(
        "a column is sealed with its rows, found by its index, unsealed on the way down, and sealed again"
    )
    func upDownUp() throws {
        let connection = try open()
        try migrate(.version(MigrationVersion(1)), connection)
        try fill(connection)
        for _ in 1...2 {
            try migrate(.latest, connection)
            #expect(
                try connection.texts("SELECT title FROM film_open ORDER BY id") == Self.titles)
            #expect(
                try connection.texts("SELECT DISTINCT typeof(title) FROM film") == ["blob"])
            let match = try connection.matching("title", of: "film", .same(as: .text("rear window"), under: .casefold))
            #expect(
                try connection.query("SELECT note FROM film_open WHERE \(match)") {
                    try $0[0] as String
                } == ["sealed in 1902"])
            try migrate(.version(MigrationVersion(1)), connection)
            #expect(try connection.texts("SELECT title FROM film ORDER BY id") == Self.titles)
            #expect(try connection.prepare("SELECT * FROM film").columnNames == ["id", "title", "year"])
        }
    }

    @Test(
        "without the keyring, or with another one, nothing happens, and the error names the file and what is missing"
    )
    func withoutKeys() throws {
        do {
            let connection = try open()
            try migrate(.version(MigrationVersion(1)), connection)
            try fill(connection)
        }
        for keys in [[], [other]] {
            let connection = try open(keys)
            do {
                try migrate(.latest, connection)
                Issue.record("it ran")
            } catch let error as LockstepError {
                #expect(error.code == .keyUnavailable)
                #expect(error.message.contains("0002_protect.sql:3"), "\(error)")
                #expect(error.hint?.contains("catalogue.fields.keyring") == true, "\(error)")
            }
            // Not even the statements before the sealing, in the same file.
            #expect(try Ledger.history(connection).unfinished == [])
            #expect(try connection.prepare("SELECT * FROM film").columnNames == ["id", "title", "year"])
            #expect(try connection.texts("SELECT title FROM film ORDER BY id") == Self.titles)
        }
        let connection = try open()
        try migrate(.latest, connection)
        #expect(try connection.read { try $0.texts("SELECT title FROM film_open ORDER BY id") } == Self.titles)
    }

    @Test("if it stops after any event, the next run completes it", arguments: 0..<22)
    func resumed(stop: Int) throws {
        let connection = try open()
        try migrate(.version(MigrationVersion(1)), connection)
        try fill(connection)
        var events = 0
        do {
            try migrate(.latest, connection) { _ in
                events += 1
                if events > stop { throw Stop() }
            }
        } catch is Stop {}
        // Readers can read everything at any point, sealed or not.
        let seen = try connection.read { connection in
            try connection.texts(
                connection.texts("SELECT name FROM temp.sqlite_schema WHERE name = 'film_open'").isEmpty
                    ? "SELECT title FROM film ORDER BY id" : "SELECT title FROM film_open ORDER BY id")
        }
        #expect(seen == Self.titles)
        try migrate(.latest, connection)
        #expect(try connection.read { try $0.texts("SELECT title FROM film_open ORDER BY id") } == Self.titles)
        #expect(
            try connection.value(
                "SELECT count(title_casefold_token) FROM film", as: Int.self) == 10)
    }

    @Test("a later version renames column and table, and the cells open under the new names") func renamed() throws {
        try write(
            "0003_names.sql",
            """
            ALTER TABLE film RENAME COLUMN title TO name;
            ALTER TABLE film RENAME TO movie;
            """)
        let connection = try open()
        try migrate(.version(MigrationVersion(1)), connection)
        try fill(connection)
        try migrate(.version(MigrationVersion(2)), connection)
        do {
            let renamed = LockstepError.Context(
                file: "0003_names.sql", set: "films", version: "3", table: "film", column: "title")
            let keyless = try open([other])
            Refusal.expect(.keyUnavailable, about: renamed) { try migrate(.latest, keyless) }
            let wrong = try open([])
            Refusal.expect(.keyUnavailable, about: renamed) { try migrate(.latest, wrong) }
        }
        try migrate(.latest, connection)
        try connection.write { connection in
            try connection.execute("UPDATE movie_open SET name = 'Laura' WHERE id = 1")
        }
        #expect(
            try connection.texts("SELECT name FROM movie_open ORDER BY id")
                == ["Laura"] + Self.titles.dropFirst())
        let again = try open()
        #expect(try again.texts("SELECT name FROM movie_open WHERE id = 1") == ["Laura"])
    }

    /// What differs from a fresh run of the same migrations.
    private func drift(_ connection: borrowing Connection) throws -> [String] {
        try DriftCheck.run(connection, [MigrationSet(folder: files)], ConnectionOptions()).findings.map(\.message)
    }

    @Test(
        "a column renamed while it was sealed is unsealed under its new names, with guards and index, and so on the way down"
    )
    func unsealedAfterRename() throws {
        try write(
            "0003_names.sql",
            """
            ALTER TABLE film RENAME COLUMN title TO name;
            ALTER TABLE film RENAME TO movie;
            -- lockstep: down
            ALTER TABLE movie RENAME TO film;
            ALTER TABLE film RENAME COLUMN name TO title;
            """)
        try write(
            "0004_open.sql",
            """
            -- lockstep: unprotect movie.name dataset=catalogue
            -- lockstep: down
            -- lockstep: protect movie.name dataset=catalogue index=casefold:20
            """)
        let connection = try open()
        try migrate(.version(MigrationVersion(1)), connection)
        try fill(connection)
        for _ in 1...2 {
            try migrate(.version(MigrationVersion(3)), connection)
            #expect(try drift(connection) == [])
            try migrate(.latest, connection)
            #expect(try drift(connection) == [])
            #expect(try connection.texts("SELECT name FROM movie ORDER BY id") == Self.titles)
            #expect(
                try connection.texts(
                    "SELECT name FROM sqlite_schema WHERE name LIKE 'lockstep\\_sealed%' ESCAPE '\\'"
                )
                    == [])
            #expect(
                try connection.prepare("SELECT * FROM movie").columnNames
                    == ["id", "name", "year", "note"])
            try connection.execute("UPDATE movie SET name = name || ''")
            // Down to where it is plaintext from the beginning, through the version in which another name was sealed.
            try migrate(.version(MigrationVersion(1)), connection)
            #expect(try drift(connection) == [])
            #expect(try connection.texts("SELECT title FROM film ORDER BY id") == Self.titles)
        }
    }

    @Test(
        "a column that takes the name of a sealed one is sealed beside it, and each is unsealed separately"
    )
    func nameTaken() throws {
        try write(
            "0003_names.sql",
            """
            ALTER TABLE film RENAME COLUMN title TO name;
            ALTER TABLE film ADD COLUMN title TEXT;
            UPDATE film SET title = 'another ' || id;
            -- lockstep: protect film.title dataset=catalogue index=prefix-3:20 histogram=accepted
            """)
        try write("0004_one.sql", "-- lockstep: unprotect film.name dataset=catalogue")
        try write("0005_other.sql", "-- lockstep: unprotect film.title dataset=catalogue")
        let connection = try open()
        try migrate(.version(MigrationVersion(1)), connection)
        try fill(connection)
        try migrate(.version(MigrationVersion(3)), connection)
        #expect(try drift(connection) == [])
        Refusal.expect(.constraint) { try connection.execute("UPDATE film SET title = 'x'") }
        Refusal.expect(.constraint) { try connection.execute("UPDATE film SET name = 'x'") }
        let match = try connection.matching("title", of: "film", .prefix("another 1"))
        #expect(
            try connection.query("SELECT name FROM film_open WHERE \(match) ORDER BY id") {
                try $0[0] as String
            } == [Self.titles[0], Self.titles[9]])
        try migrate(.version(MigrationVersion(4)), connection)
        #expect(try drift(connection) == [])
        #expect(try connection.texts("SELECT name FROM film ORDER BY id") == Self.titles)
        Refusal.expect(.constraint) { try connection.execute("UPDATE film SET title = 'x'") }
        try connection.execute("UPDATE film SET name = 'y' WHERE id = 2")
        try migrate(.latest, connection)
        #expect(try drift(connection) == [])
        #expect(try connection.texts("SELECT title FROM film WHERE id = 2") == ["another 2"])
        try connection.execute("UPDATE film SET title = 'z' WHERE id = 2")
    }

    @Test("all the way down, where the table itself is gone, and up again")
    func toTheBottom() throws {
        let connection = try open()
        try migrate(.latest, connection)
        try migrate(.downTo(MigrationVersion(0)), connection)
        try migrate(.latest, connection)
        try connection.write { try $0.execute("INSERT INTO film_open (title) VALUES ('Laura')") }
        #expect(try connection.texts("SELECT title FROM film_open") == ["Laura"])
    }

    @Test("anyone who has its keys can drop a sealed table")
    func dropped() throws {
        try write("0003_gone.sql", "-- lockstep: allow loss of table film\nDROP TABLE film;")
        let connection = try open()
        try migrate(.version(MigrationVersion(1)), connection)
        try fill(connection)
        try migrate(.version(MigrationVersion(2)), connection)
        do {
            let keyless = try open([])
            Refusal.expect(.keyUnavailable) { try migrate(.latest, keyless) }
        }
        try migrate(.latest, connection)
        let again = try open()
        #expect(try again.texts("SELECT name FROM sqlite_schema WHERE name LIKE 'film%'") == [])
    }

    @Test(
        "directives that say too little, too much or nonsense are refused with the line",
        arguments: [
            "protect film.title", "protect film dataset=catalogue", "protect film.title dataset=",
            "protect film.title dataset=a dataset=b", "protect film.title dataset=a mode=weak",
            "protect film.title dataset=a padding=1", "protect film.title dataset=a padding=x",
            "protect film.title dataset=a index=equality", "protect film.title dataset=a index=exact:64",
            "protect film.title dataset=a histogram=accepted", "protect film.title dataset=a index=exact histogram=yes",
            "protect film.title dataset=a batch=0", "protect film.title dataset=a more", "unprotect film.title",
            "unprotect film.title dataset=a padding=32", "rotate film.title dataset=a index=exact",
        ])
    func malformed(directive: String) throws {
        try write("0003_bad.sql", "-- lockstep: \(directive)\nSELECT 1;")
        do {
            _ = try MigrationSet(folder: files)
            Issue.record("it was read")
        } catch let error as LockstepError {
            #expect(error.code == .migrationMalformed)
            #expect(error.message.contains("0003_bad.sql:2"), "\(error)")
        }
    }

    @Test("a plan says what an index shows, and calls a histogram an error before anything runs")
    func planned() throws {
        let connection = try open()
        try migrate(.version(MigrationVersion(1)), connection)
        try fill(connection)
        func lint() throws -> [LintFinding] {
            try Migrator(MigrationSet(folder: files)).preview(on: connection).lint.filter {
                ["blind-index", "histogram"].contains($0.rule)
            }
        }
        let notes = try lint()
        #expect(notes.map(\.rule) == ["blind-index"])
        #expect(notes.map(\.line) == [3])
        #expect(notes.first?.message.contains("film.title") == true)
        try connection.execute("UPDATE film SET title = 'one of ' || (id % 2)")
        let errors = try lint()
        #expect(errors.map(\.rule) == ["histogram"])
        #expect(errors.map(\.level) == [.error])
        Refusal.expect(.misuse) { try migrate(.latest, connection) }
        #expect(try connection.texts("SELECT DISTINCT typeof(title) FROM film") == ["text"])
    }

    @Test(
        "a rebuild computes no sealed column: plan and run refuse it, and a rebuild that copies it keeps its cells",
        arguments: ["title = trim(title)", "TITLE = 'plain'", "title = substr(title, 1, 10)"])
    func rebuilt(_ expression: String) throws {
        let connection = try open()
        try migrate(.version(MigrationVersion(1)), connection)
        try fill(connection)
        try migrate(.latest, connection)
        func rebuild(_ expressions: String) throws {
            let table = "film (id INTEGER PRIMARY KEY, title TEXT NOT NULL, year INTEGER, note TEXT"
            let tokens = try connection.prepare("SELECT * FROM film").columnNames.filter {
                $0.hasSuffix("_token")
            }
            let rest = tokens.map { ", \"\($0)\"" }.joined()
            try write(
                "0003_rebuild.sql", "-- lockstep: rebuild table film\n\(expressions)CREATE TABLE \(table)\(rest));")
        }
        try rebuild("-- lockstep: set \(expression)\n")
        let preview = try Migrator(MigrationSet(folder: files)).preview(on: connection)
        #expect(preview.lint.contains { $0.level == .error && $0.message.contains("sealed") })
        let error = try #require(throws: LockstepError.self) { try migrate(.latest, connection) }
        #expect(error.message.contains("title") && error.message.contains("which is sealed"))
        #expect(try open().texts("SELECT title FROM film_open ORDER BY id") == Self.titles)
        try rebuild("-- lockstep: set note = upper(note)\n")
        try migrate(.latest, connection)
        #expect(try open().texts("SELECT title FROM film_open ORDER BY id") == Self.titles)
        #expect(try open().texts("SELECT note FROM film WHERE id = 1") == ["SEALED IN 1900"])
    }

    @Test("a directive that is spelled out reads as the same directive")
    func spelling() throws {
        for text in [
            "protect \"a b\".\"c\" dataset=d", "protect t.c dataset=d mode=deterministic",
            "protect t.c dataset=d padding=64 index=exact,prefix-3:12,casefold:128 batch=9",
            "protect t.c dataset=d index=casefold:4 histogram=accepted",
            "unprotect t.c dataset=d", "rotate t.c dataset=d batch=7",
        ] {
            let directive = try #require(Directive(text))
            #expect(Directive(directive.spelling) == directive)
        }
    }
}
