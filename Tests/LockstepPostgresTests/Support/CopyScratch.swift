import Lockstep
import SystemPackage
import TestServers

@testable import LockstepPostgres

/// A file, in memory unless it has a path, with the migrations of a set that has files for both engines, and a place on
/// a server for its copy.
final class CopyScratch {
    let keyring: Keyring
    let keys: FieldKeys
    let file: Connection
    let files: [(name: String, content: String)]

    static let studios = """
        -- lockstep: up
        CREATE TABLE studio (id INTEGER PRIMARY KEY, name TEXT NOT NULL, parent INTEGER REFERENCES studio (id));
        CREATE TABLE films (
            id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT, year INTEGER NOT NULL, score REAL, seen INTEGER NOT NULL,
            cover BLOB, studio INTEGER REFERENCES studio (id), made INTEGER);
        CREATE TABLE tag (name TEXT NOT NULL, film INTEGER NOT NULL REFERENCES films (id), PRIMARY KEY (name, film))
            WITHOUT ROWID;
        CREATE TABLE log (line TEXT);
        INSERT INTO studio VALUES (1, 'seeded', NULL);
        -- lockstep: down
        DROP TABLE log; DROP TABLE tag; DROP TABLE films; DROP TABLE studio;
        """
    static let studiosOnServers = """
        -- lockstep: up
        CREATE TABLE studio (id bigint PRIMARY KEY, name text NOT NULL, parent bigint REFERENCES studio (id));
        CREATE TABLE films (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, title bytea, year smallint NOT NULL,
            score double precision, seen boolean NOT NULL, cover bytea, studio bigint REFERENCES studio (id),
            made timestamptz);
        CREATE TABLE tag (name text NOT NULL, film bigint NOT NULL REFERENCES films (id), PRIMARY KEY (name, film));
        CREATE TABLE log (line text);
        INSERT INTO studio VALUES (1, 'seeded', NULL);
        -- lockstep: plaintext studio.*
        -- lockstep: plaintext films.*
        -- lockstep: plaintext tag.*
        -- lockstep: plaintext log.line
        """
    static let protection = """
        -- lockstep: up
        -- lockstep: protect films.title dataset=films index=casefold padding=32
        -- lockstep: protect films.cover dataset=films
        """

    init(
        _ files: [(name: String, content: String)] = [
            ("0001_studios.sqlite.sql", CopyScratch.studios),
            ("0001_studios.postgres.sql", CopyScratch.studiosOnServers),
            ("0002_protection.sql", CopyScratch.protection),
        ], keys: FieldKeys? = nil, at path: FilePath? = nil
    ) throws {
        let keyring = try Keyring.create(.fields)
        let keys = try keys ?? keyring.fieldKeys(named: "films")
        self.keyring = keyring
        (self.keys, self.files) = (keys, files)
        file = try Self.connection(keys, at: path)
        var report = MigrationReport()
        try Migrator(set(.sqlite)).run(on: file, into: &report)
    }

    /// The key of files, as the Worker has it.
    static func key() throws -> DatabaseKey {
        try DatabaseKey(
            secret: SecretBytes(copying: [UInt8](repeating: 1, count: 32).span), salt: (0..<16).map { 31 &+ $0 })
    }

    static func connection(_ keys: FieldKeys, at path: FilePath? = nil) throws -> Connection {
        var options = ConnectionOptions()
        options.fieldKeys = [keys]
        options.mayBeUnsealed = true
        if let path { return try Connection.create(path, key: key(), options: options) }
        return try Connection.inMemory(options)
    }

    func set(_ engine: DatabaseEngine) throws -> MigrationSet {
        try MigrationSet(name: "films", files: files, engine: engine)
    }

    func fill(_ count: Int) throws {
        try file.execute("DELETE FROM studio")
        try file.execute(
            "INSERT INTO studio VALUES (2, 'é ''x''', 7), (7, '', 2), (9, 'own', 9)")
        for number in 1...max(count, 1) where count > 0 {
            try file.execute(
                """
                INSERT INTO films_open (id, title, year, score, seen, cover, studio, made) VALUES (\(number * 3), \("film \(number)"),
                    \(1900 + number % 100), \(Double(number) / 3), \(number % 2), \([UInt8](repeating: 7, count: number % 50)), 7, \(Int64(number) * 1_000_000_007))
                """)
            try file.execute("INSERT INTO tag VALUES (\("tag \(number)"), \(number * 3))")
        }
        try file.execute("INSERT INTO log VALUES ('b'), ('a'), (NULL), ('a')")
    }

    func cells() throws -> [[Value]] {
        try file.query(
            "SELECT id, title, cover, title_casefold_token FROM main.films ORDER BY id"
        ) {
            row in try (0..<4).map { try row[$0] as Value }
        }
    }

    static func cells(on server: borrowing ServerConnection) throws -> [[Value]] {
        try server.query("SELECT id, title, cover, title_casefold_token FROM films ORDER BY id") {
            row in try (0..<4).map { try row.value($0) }
        }
    }
}
