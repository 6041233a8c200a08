import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// How a keyring records where its databases lie.
struct KeyringPlacesTests {
    private let folder: TemporaryFolder
    private let root: FilePath

    init() throws {
        folder = try TemporaryFolder()
        root = try RealPath.of(folder.path)
    }

    private func record(_ path: FilePath?) -> DatabaseRecord {
        DatabaseRecord(database: Records.id(1), keyVersion: 1, path: path)
    }

    @Test(
        "Below the parent of the keyring's folder a path is relative",
        arguments: [
            ("films.db", "../films.db"), ("Keys/films.db", "films.db"),
            ("Keys/a/films.db", "a/films.db"), ("data/films.db", "../data/films.db"),
        ])
    func relative(_ place: String, _ expected: String) throws {
        for name in ["Keys", "Keys/a", "data"] { try AtomicFile.createFolder(root.appending(name)) }
        let file = KeyringFile(root.appending("Keys/films.keyring"))
        let path = root.appending(place)
        // A file need not exist yet.
        #expect(try file.spelling(of: path) == FilePath(expected))
        try folder.write(place, "")
        #expect(try file.spelling(of: path) == FilePath(expected))
        #expect(try file.place(of: record(FilePath(expected))) == path)
        let spelled = PercentEncodedPath.encode(FilePath(expected))
        #expect(PercentEncodedPath.decode(spelled) == FilePath(expected))
    }

    @Test("Anywhere else it is absolute")
    func absolute() throws {
        for name in ["a", "a/Keys", "b"] { try AtomicFile.createFolder(root.appending(name)) }
        let file = KeyringFile(root.appending("a/Keys/films.keyring"))
        let path = root.appending("b/films.db")
        #expect(try file.spelling(of: path) == path)
        #expect(try file.place(of: record(path)) == path)
        #expect(try file.place(of: record(nil)) == nil)
    }

    @Test("Links lead to the file itself")
    func links() throws {
        for name in ["Keys", "data"] { try AtomicFile.createFolder(root.appending(name)) }
        let file = KeyringFile(root.appending("Keys/films.keyring"))
        try folder.write("data/films.db", "")
        let link = root.appending("link.db")
        try FileManager.default.createSymbolicLink(
            atPath: link.string, withDestinationPath: root.appending("data/films.db").string)
        #expect(try file.spelling(of: link) == "../data/films.db")
    }

    @Test("Folders that do not exist yet are where they will be")
    func missing() throws {
        let file = KeyringFile(root.appending("Keys/films.keyring"))
        #expect(try file.spelling(of: root.appending("none/films.db")) == "../none/films.db")
    }

    @Test("A keyring lies beside its database, and beside the file to which a link leads") func beside() throws {
        try AtomicFile.createFolder(root.appending("data"))
        let database = root.appending("data/films.db")
        let expected = root.appending("data/films.db.keys")
        #expect(KeyringFile.database(beside: database).path == expected.appending("database.keyring"))
        #expect(
            try KeyringFile.fields(of: "movies", beside: database).path == expected.appending("movies.fields.keyring"))
        #expect(throws: LockstepError.self) { try KeyringFile.fields(of: "../x", beside: database) }
        try folder.write("data/films.db", "")
        let link = root.appending("link.db")
        try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: database.string)
        #expect(KeyringFile.database(beside: link) == KeyringFile.database(beside: database))
    }
}
