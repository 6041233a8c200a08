import Foundation
import SystemPackage
import TestSupport

@testable import EngineTestSupport
@testable import Lockstep

/// A folder in which releases of a program open `films.db` with `my.key`: one without sealed columns, one that seals
/// its first, and one with a second dataset.
struct OpeningScratch {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for release in 1...3 {
            let set = folder.path.appending("\(release)").appending("films")
            try FileManager.default.createDirectory(atPath: set.string, withIntermediateDirectories: true)
            for (name, text) in Self.files.prefix(release) {
                try Bytes.write(Array("-- lockstep: up\n\(text)".utf8), to: set.appending(name))
            }
        }
    }

    /// A copy of all files.
    init(copying other: OpeningScratch) throws {
        folder = try TemporaryFolder()
        try FileManager.default.removeItem(atPath: folder.path.string)
        try FileManager.default.copyItem(atPath: other.folder.path.string, toPath: folder.path.string)
    }

    private static let files = [
        (
            "0001_create.sql",
            """
            CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT NOT NULL, year INTEGER NOT NULL);
            CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
            """
        ),
        ("0002_seal.sql", "-- lockstep: protect film.title dataset=films index=casefold:20\n"),
        ("0003_people.sql", "-- lockstep: protect person.name dataset=people\n"),
    ]

    var path: FilePath { folder.file("films.db") }
    var keyring: KeyringFile { .database(beside: path) }
    var key: KeySource { .keyFile(folder.file("my.key")) }

    func set(_ release: Int) throws -> MigrationSet {
        try MigrationSet(folder: folder.path.appending("\(release)").appending("films"))
    }

    /// Opens it as a release does.
    func open(
        _ release: Int, mode: OpeningMode = .openOrCreate, options: StoreOptions = .init()
    ) throws -> Store {
        let set = try set(release)
        switch release {
        case 1:
            return try Store.openBlocking(
                path, key: key, migrations: set, mode: mode, options: options)
        case 2:
            return try Store.openBlocking(
                path, key: key, migrations: set, sealed: Dataset("films"), mode: mode, options: options)
        default:
            return try Store.openBlocking(
                path, key: key, migrations: set, sealed: Dataset("films"), Dataset("people"),
                mode: mode, options: options)
        }
    }

    /// Adds rows as a release does.
    func fill(_ release: Int) throws {
        let store = try open(release)
        try store.blocking.write { db in
            let (film, person) = (try db.readable("film"), try db.readable("person"))
            for number in 1...5 {
                try db.execute("INSERT INTO \(film) (title, year) VALUES (\("Film \(number)"), \(1920 + number))")
                try db.execute("INSERT INTO \(person) (name) VALUES (\("Person \(number)"))")
            }
        }
        try store.blocking.close()
    }

    /// The titles and names that a release reads.
    func rows(_ release: Int, mode: OpeningMode = .openOrCreate) throws -> [String] {
        let store = try open(release, mode: mode)
        defer { try? store.blocking.close() }
        return try store.blocking.read { db in
            let (film, person) = (try db.readable("film"), try db.readable("person"))
            return try db.query("SELECT title FROM \(film) ORDER BY id", as: String.self)
                + db.query("SELECT name FROM \(person) ORDER BY id", as: String.self)
        }
    }

    static let filled = (1...5).map { "Film \($0)" } + (1...5).map { "Person \($0)" }

    /// All files in the folder, with their bytes, but not those that only locks are on.
    func files() throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path.string) {
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: folder.file(name).string, isDirectory: &isFolder)
            guard !isFolder.boolValue, !name.hasSuffix(".custody"), !name.hasSuffix(".use"), !name.hasSuffix(".lock")
            else { continue }
            files[name] = try Bytes.read(folder.file(name))
        }
        return files
    }
}
