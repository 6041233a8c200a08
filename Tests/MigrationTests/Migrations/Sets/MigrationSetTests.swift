import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Migration folders")
struct MigrationSetTests {
    private let up = "-- lockstep: up\nSELECT 1;\n"

    @Test("A folder of SQL files is a set with the folder's name; other files are ignored") func folder() throws {
        let folder = try TemporaryFolder()
        let movies = folder.file("movies")
        try makeFolder(movies)
        try Bytes.write(Array(up.utf8), to: movies.appending("0002_b.sql"))
        try Bytes.write(Array(up.utf8), to: movies.appending("0001_a.sql"))
        try Bytes.write(Array("# read me".utf8), to: movies.appending("README.md"))
        try Bytes.write([0xFF], to: movies.appending(".0003_hidden.sql"))
        for path in [movies, FilePath(movies.string + "/"), movies.appending(".")] {
            let set = try MigrationSet(folder: path)
            #expect(set.name == "movies")
            #expect(set.files.map(\.fileName) == ["0001_a.sql", "0002_b.sql"])
        }
        #expect(try MigrationSet.sets(in: movies).map(\.name) == ["movies"])
        #expect(try MigrationSet.sets(in: folder.path).map(\.name) == ["movies"])
    }

    @Test("An SQL file without a migration's name is an error and not overlooked")
    func stray() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a")
        try makeFolder(path)
        try Bytes.write(Array(up.utf8), to: path.appending("first.sql"))
        Refusal.expect(.migrationMalformed) { _ = try MigrationSet(folder: path) }
    }

    @Test(
        "A missing folder, a file in its place, and a folder without migrations are distinguished")
    func missing() throws {
        let folder = try TemporaryFolder()
        Refusal.expect(.notFound) { _ = try MigrationSet.sets(in: folder.file("no")) }
        try folder.write("file", "x")
        Refusal.expect(.notAFile) { _ = try MigrationSet.sets(in: folder.file("file")) }
        Refusal.expect(.notFound) { _ = try MigrationSet.sets(in: folder.path) }
    }

    @Test("A set's name is plain", arguments: ["", "A", "a b", "../x", "ä"])
    func names(name: String) {
        Refusal.expect(.migrationMalformed) { _ = try MigrationSet(name: name, files: []) }
    }

    private func makeFolder(_ path: FilePath) throws {
        try AtomicFile.createFolder(path)
    }

    @Test(
        "A path without a name, given by a program, is not a migration in any layout",
        arguments: ["", "/", "//up.sql", "/up.sql"])
    func withoutName(_ path: String) throws {
        for layout in MigrationLayout.allCases {
            let code = try Refusal.code {
                let files = [(name: path, content: "")]
                let set = try MigrationSet(name: "a", layout: layout, files: files)
                #expect(set.files.isEmpty && set.repeatables.isEmpty)
            }
            #expect(code == nil || code == .migrationMalformed, "\(layout)")
        }
    }
}
