import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Lockstep

@Suite("Real paths")
struct RealPathTests {
    private let folder: TemporaryFolder

    /// The folders `a`, and `b`, which is a link to it.
    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.file("a").string, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: folder.file("b").string, withDestinationPath: "a")
        try folder.write("a/app.db", "")
    }

    @Test(
        "The ways of a path name a linked folder, however the path is written",
        arguments: ["b/app.db", "./b/app.db", "b/./app.db", "a/../b/app.db", "./a/.././b/./app.db"])
    func ways(_ path: String) throws {
        let real = try RealPath.of(folder.path)
        let ways = RealPath.ways(FilePath("\(folder.path)/\(path)"))
        #expect(ways.isSuperset(of: ["b", "a"].map { real.appending($0).appending("app.db") }))
    }

    @Test("Of a path without links there is one way beside the one that is given")
    func straight() throws {
        let real = try RealPath.of(folder.path).appending("a").appending("app.db")
        #expect(RealPath.ways(real) == [real])
        #expect(RealPath.ways(FilePath("\(folder.path)/b/../a/app.db")).isSuperset(of: [real]))
    }
}
