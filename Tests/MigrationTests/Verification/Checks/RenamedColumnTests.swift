import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("A column that is sealed outside of migrations, and renamed by them") struct RenamedColumnTests {
    private static let film = "CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT NOT NULL, year INTEGER);"

    @Test(
        "is what the migrations make, under whatever names",
        arguments: [
            ("SELECT 1;", "film", "title"), ("ALTER TABLE film RENAME COLUMN title TO name;", "film", "name"),
            ("ALTER TABLE film RENAME COLUMN title TO \"the name\";", "film", "the name"),
            ("ALTER TABLE film RENAME TO movie;", "movie", "title"),
        ], [true, false])
    func renamed(_ rename: (sql: String, table: String, column: String), hasIndex: Bool) throws {
        let scratch = try DatabaseScratch()
        let keys = try Keyring.create(.fields).fieldKeys(named: "films")
        var options = ConnectionOptions()
        options.fieldKeys = [keys]
        let connection = try scratch.create(options)
        let first = ("0001_film.sql", "-- lockstep: up\n\(Self.film)\n")
        _ = try Migrator(MigrationSet(name: "test", files: [first])).run(on: connection)
        try connection.execute("INSERT INTO film VALUES (1, 'Metropolis', 1927)")
        try connection.protect(
            "title", of: "film", keys: keys,
            indexes: hasIndex ? [.init(.casefold)] : [])
        let set = try MigrationSet(
            name: "test", files: [first, ("0002_rename.sql", "-- lockstep: up\n\(rename.sql)\n")])
        _ = try Migrator(set).run(on: connection)

        func differences() throws -> [String] {
            try DriftCheck.differences(
                of: SchemaSnapshot(connection), on: connection, [set], ConnectionOptions()
            ).map { "\($0.change.rawValue): \($0.name)" }
        }
        #expect(try differences() == [])
        // What sealing does not add is still drift.
        let table = SQLTokens.quote(rename.table)
        try connection.with(rights: .engine) {
            try connection.run(script: "CREATE INDEX extra ON \(table) (year)")
        }
        #expect(try differences() == ["unexpected: extra"])
    }
}
