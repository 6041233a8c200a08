import Subprocess
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("A store and the working directory of its process")
struct WorkingFolderTests {
    @Test("A store opened by a relative path goes on after the process has gone elsewhere")
    func changed() async throws {
        let (there, other) = (try TemporaryFolder(), try TemporaryFolder())
        // A file of the same name, which is not the store's.
        try other.write("films.db", "no database")
        let result = try await run(
            .path(Programs.path("Worker")), arguments: ["working-folder", there.path.string, other.path.string],
            output: .string(limit: 10_000), error: .discarded)
        #expect(result.standardOutput == "[2]\n")
        #expect(try Bytes.read(other.file("films.db")) == Array("no database".utf8))
    }

    @Test("An absolute path stays as it was given")
    func absolute() throws {
        #expect(FilePath("/a/../b.db").fromRoot == "/a/../b.db")
        #expect(FilePath("b.db").fromRoot.isAbsolute)
    }

    @Test("Paths are literals with interpolations")
    func interpolated() throws {
        let folder = try TemporaryFolder()
        let key = try DatabaseKey.ephemeral()
        let store = try Store.create("\(folder.path)/films \(1).db", rawKey: key)
        try store.blocking.close()
        #expect(store.path == folder.file("films 1.db"))
    }
}
