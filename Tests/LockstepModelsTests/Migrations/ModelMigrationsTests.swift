import Lockstep
import LockstepModels
import SystemPackage
import TestSupport
import Testing

@Suite("The models' schemas, with data in them")
struct ModelMigrationsTests {
    @Test("The embedded sets are the files of Migrations, byte for byte")
    func embedded() throws {
        let folder = Programs.package.appending("Migrations")
        #expect(try ModelMigrations.all() == MigrationSet.sets(in: folder))
        #expect(ModelMigrations.names == ["contacts", "microblog", "movies", "notes", "photos"])
        #expect(throws: LockstepError.self) { try ModelMigrations.set("cars") }
    }

    @Test(
        "Up, down and up again leaves the same schema, for every set",
        arguments: ModelMigrations.names)
    func upDownUp(name: String) throws {
        let set = try ModelMigrations.set(name)
        let connection = try Connection.inMemory(ModelKeys.options())
        let migrator = Migrator(set)
        var snapshots = [try SchemaSnapshot(connection)]
        for file in set.files {
            _ = try migrator.run(.version(file.version), on: connection)
            snapshots.append(try SchemaSnapshot(connection))
        }
        for (index, file) in set.files.enumerated().reversed() {
            _ = try migrator.run(.back(1), on: connection)
            #expect(
                try SchemaSnapshot(connection).differences(from: snapshots[index]).isEmpty,
                "down from \(file.fileName)")
        }
        _ = try migrator.run(on: connection)
        #expect(try SchemaSnapshot(connection) == snapshots.last)
        #expect(set.files.count >= 2)
    }

    @Test("All five share one database")
    func together() throws {
        let connection = try Connection.inMemory(ModelKeys.options())
        let sets = try ModelMigrations.all()
        for set in sets { _ = try Migrator(set).run(on: connection) }
        #expect(try Ledger.entries(connection).count == sets.map(\.files.count).reduce(0, +))
    }

    @Test("Movies: ratings are brought into their range, other columns do not change")
    func movies() throws {
        let database = try ModelDatabase(
            "movies",
            [
                "INSERT INTO movies VALUES (3, 'It''s', 'Crime', 1972, ' ', 'c', 2, 9)",
                "INSERT INTO movies VALUES (5, 'Amélie', 'Romance', 2001, 'u', '', 0, -1)",
                "INSERT INTO movies VALUES (8, 'gone', '', 1, NULL, '', 1, 2)", "DELETE FROM movies WHERE movieID = 8",
            ])
        try database.migrate()
        #expect(
            try database.rows("SELECT * FROM movies_open") == [
                "3|It's|Crime|1972|-|c|1|3", "5|Amélie|Romance|2001|u||0|0",
            ])
        #expect(
            try database.rows("SELECT DISTINCT typeof(title), typeof(category) FROM movies")
                == ["blob|blob"])
        #expect(throws: LockstepError.self) {
            try database.connection.execute("UPDATE movies SET likes = 4")
        }
        #expect(throws: LockstepError.self) {
            try database.connection.execute("UPDATE movies SET watched = 2")
        }
        try database.connection.execute(
            "INSERT INTO movies_open (title, category, year, coverURL) VALUES ('new', '', 2000, '')")
        #expect(try database.rows("SELECT max(movieID) FROM movies") == ["9"])
        try database.migrate(to: 1)
        #expect(try database.rows("SELECT title, category FROM movies") == ["It's|Crime", "Amélie|Romance", "new|"])
    }

    @Test("Notes: titles come from texts, and a note is found by its words")
    func notes() throws {
        let long = String(repeating: "abcdefghi ", count: 8)
        let database = try ModelDatabase(
            "notes",
            [
                "INSERT INTO records VALUES (1, 'Title', 'Grüße aus Köln')",
                "INSERT INTO records VALUES (2, NULL, '\(long)')", "INSERT INTO records VALUES (3, '  ', NULL)",
            ])
        try database.migrate()
        #expect(
            try database.rows("SELECT id, title, createdAt, txt FROM records") == [
                "1|Title|-|Grüße aus Köln", "2|\(long.prefix(50))|-|\(long)", "3||-|",
            ])
        func find(_ word: String) throws -> [String] {
            try database.rows("SELECT rowid FROM records_search WHERE records_search MATCH '\(word)' ORDER BY rowid")
        }
        #expect(try find("Köln") == ["1"])
        try database.connection.execute("UPDATE records SET txt = 'Berlin' WHERE id = 1")
        #expect(try find("Köln") == [])
        #expect(try find("Berlin") == ["1"])
        try database.connection.execute("DELETE FROM records WHERE id = 1")
        #expect(try find("Berlin") == [])
        try database.connection.execute("INSERT INTO records_search (records_search) VALUES ('integrity-check')")
        try database.migrate(to: 1)
        #expect(try database.rows("SELECT count(*) FROM records") == ["2"])
    }

    @Test("Microblog: every date format becomes an instant, and an invalid date stays readable")
    func microblog() throws {
        let dates = [
            ("'2012-08-28 20:35:00'", "1346186100000000|-"), ("'2012-08-28T20:35:00+08:00'", "1346157300000000|-"),
            ("'2012-08-28 20:35:00.250'", "1346186100250000|-"), ("'2012-08-28'", "1346112000000000|-"),
            ("'Tue Aug 28 20:35:00 +0800 2012'", "1346157300000000|-"),
            ("'Fri Dec 31 23:59:59 -0330 1999'", "946697399000000|-"),
            ("1346186100", "1346186100000000|-"), ("1346186100.5", "1346186100500000|-"),
            ("'the other day'", "-|the other day"), ("NULL", "-|-"), ("''", "-|"),
        ]
        let statuses = dates.enumerated().map { index, date in
            "INSERT INTO Status VALUES (\(index + 1), 'from web', \(date.0), 'text \(index)', 1)"
        }
        let database = try ModelDatabase(
            "microblog", ["INSERT INTO User (name, screenName) VALUES ('O''Neil', NULL), (NULL, NULL)"] + statuses)
        try database.migrate()
        #expect(try database.rows("SELECT createdAt, createdAtAsWritten FROM Status ORDER BY Id") == dates.map(\.1))
        #expect(try database.rows("SELECT Id, name, screenName FROM User") == ["1|O'Neil|O'Neil", "2||"])
        #expect(try database.rows("SELECT rowid FROM Status_search WHERE Status_search MATCH '\"3\"'") == ["4"])
        try database.connection.execute("DELETE FROM User WHERE Id = 1")
        #expect(try database.rows("SELECT count(*) FROM Status") == ["0"])
    }

    @Test("Microblog: the way down writes dates that the way up can read")
    func microblogDown() throws {
        let database = try ModelDatabase(
            "microblog",
            [
                "INSERT INTO User (name) VALUES ('a')",
                "INSERT INTO Status VALUES (1, NULL, 'Tue Aug 28 20:35:00 +0800 2012', 'x', 1)",
                "INSERT INTO Status VALUES (2, NULL, 1346186100.25, 'x', 1)",
                "INSERT INTO Status VALUES (3, NULL, 'never', 'x', 1)",
            ])
        try database.migrate()
        let instants = try database.rows("SELECT createdAt, createdAtAsWritten FROM Status")
        try database.migrate(to: 1)
        #expect(
            try database.rows("SELECT createdAt FROM Status") == [
                "2012-08-28 12:35:00.000", "2012-08-28 20:35:00.250", "never",
            ])
        try database.migrate()
        #expect(
            try database.rows("SELECT createdAt, createdAtAsWritten FROM Status") == instants)
    }

    @Test("Contacts: phones move to their own table, and the first one moves back")
    func contacts() throws {
        let database = try ModelDatabase(
            "contacts",
            [
                "INSERT INTO Contacts VALUES (1, 'Ann', 'O''Brien', ' +49 221 1 ')",
                "INSERT INTO Contacts VALUES (2, NULL, 'Bee', '')", "INSERT INTO Contacts VALUES (3, 'Cy', NULL, NULL)",
                "INSERT INTO Contacts VALUES (4, 'Di', 'Dee', 12345)",
            ])
        try database.migrate()
        #expect(
            try database.rows("SELECT contact, label, number FROM phone_open") == [
                "1|phone|+49 221 1", "4|phone|12345",
            ])
        #expect(try database.rows("SELECT * FROM Contacts") == ["1|Ann|O'Brien", "2||Bee", "3|Cy|", "4|Di|Dee"])
        try database.connection.execute("INSERT INTO phone_open (contact, number) VALUES (1, 'second')")
        try database.connection.execute("DELETE FROM Contacts WHERE idx = 4")
        #expect(try database.rows("SELECT count(*) FROM phone") == ["2"])
        try database.migrate(to: 1)
        #expect(try database.rows("SELECT * FROM Contacts") == ["1|Ann|O'Brien|+49 221 1", "2||Bee|-", "3|Cy||-"])
    }

    @Test("Photos: type, size and hash come from the bytes")
    func photos() throws {
        let database = try ModelDatabase(
            "photos",
            [
                "INSERT INTO photos VALUES (1, 'a', x'FFD8FFE000')",
                "INSERT INTO photos VALUES (2, NULL, x'89504E470D0A1A0A')",
                "INSERT INTO photos VALUES (3, 'none', NULL)",
                "INSERT INTO photos VALUES (4, 'w', x'524946460000000057454250')",
                "INSERT INTO photos VALUES (5, 'text', x'616263')",
            ])
        try database.migrate()
        #expect(
            try database.rows("SELECT id, name, mediaType, byteCount, photo FROM photos") == [
                "1|a|image/jpeg|5|5 bytes", "2|photo 2|image/png|8|8 bytes",
                "3|none|application/octet-stream|0|0 bytes", "4|w|image/webp|12|12 bytes",
                "5|text|application/octet-stream|3|3 bytes",
            ])
        // SHA-256 of "abc", FIPS 180-2 appendix B.1.
        #expect(
            try database.rows("SELECT lower(hex(sha256)) FROM photos WHERE id = 5") == [
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
            ])
        try database.migrate(to: 1)
        #expect(try database.rows("SELECT count(*) FROM photos") == ["5"])
    }
}
