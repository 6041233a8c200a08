import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("A folder that appears complete or not at all")
struct NewFolderTests {
    private let folder: TemporaryFolder
    private var target: FilePath { folder.path.appending("export") }
    private var names: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder.path.string).sorted()
        }
    }

    init() throws { folder = try TemporaryFolder() }

    @Test("Nothing is overwritten, and nothing is begun beside it", arguments: [true, false])
    func taken(isFolder: Bool) throws {
        if isFolder {
            try FileManager.default.createDirectory(atPath: target.string, withIntermediateDirectories: false)
        } else {
            try Data("mine".utf8).write(to: URL(filePath: target.string))
        }
        Refusal.expect(.alreadyExists) { _ = try NewFolder(target) }
        #expect(try names == ["export"])
    }

    @Test("What comes to its name meanwhile stays")
    func takenMeanwhile() throws {
        var new = try NewFolder(target)
        try new.add("a") { write in try write([1, 2, 3]) }
        try Data("mine".utf8).write(to: URL(filePath: target.string))
        var code: LockstepError.Code?
        do { try new.finish() } catch let error as LockstepError { code = error.code }
        #expect(code == .alreadyExists)
        _ = consume new
        #expect(try names == ["export"])
        #expect(try Data(contentsOf: URL(filePath: target.string)) == Data("mine".utf8))
    }

    @Test("It has its files when it gets its name, and nothing of it remains where it does not")
    func complete() throws {
        do {
            var new = try NewFolder(target)
            try new.add("a") { write in try write([1, 2, 3]) }
            #expect(!FileAccess.exists(target))
        }
        #expect(try names == [])
        var new = try NewFolder(target)
        try new.add("a") { write in try write([1, 2, 3]) }
        try new.finish()
        #expect(try names == ["export"])
        #expect(try Data(contentsOf: URL(filePath: target.appending("a").string)) == Data([1, 2, 3]))
    }
}
