import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Rehearsal copies")
struct RehearsalCopyTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func copy(_ name: String = "data.db") throws -> RehearsalCopy {
        try RehearsalCopy(of: folder.file(name), in: folder.path)
    }

    private var names: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder.path.string).sorted()
        }
    }

    @Test("The copy exists with its lock, and afterwards both are gone, with all files beside it") func life() throws {
        do {
            let copy = try copy()
            #expect(try names.count == 2)
            #expect(try DatabaseScratch.mode(of: copy.path) == 0o600)
            for suffix in ["-wal", "-shm", "-journal"] {
                try Bytes.write([1], to: FilePath(copy.path.string + suffix))
            }
        }
        #expect(try names.isEmpty)
    }

    @Test("A lock that another run removed as a leftover is created again")
    func sweptLock() throws {
        var locks = 0
        let living = try RehearsalCopy(of: folder.file("data.db"), in: folder.path) { lock in
            locks += 1
            if locks == 1 { try FileManager.default.removeItem(atPath: lock.string) }
        }
        #expect(locks == 2)
        let before = try names
        #expect(before.count == 2)
        // The next run finds it in use.
        do { _ = try copy().path }
        #expect(try names == before)
        #expect(FileAccess.exists(living.path))
    }

    @Test("Copies in use stay, copies of dead processes go, even incomplete ones")
    func sweeping() throws {
        let living = try copy()
        let before = try names
        for name in [
            ".data.db.abc1.rehearsal", ".data.db.abc1.rehearsal-wal",
            ".data.db.abc1.rehearsal-lock",
            ".data.db.abc2.rehearsal-lock", ".data.db.abc3.rehearsal",
            ".data.db.abc3.rehearsal-shm",
        ] { try folder.write(name, "left") }
        do {
            let other = try copy()
            #expect(try names.count == before.count + 2)
            _ = other.path
        }
        #expect(try names == before)
        #expect(FileAccess.exists(living.path))
    }

    @Test("Files of others are left alone")
    func foreign() throws {
        let mine = [
            ".data.db.ABC.rehearsal", ".data.db..rehearsal", ".data.db.a.b.rehearsal",
            ".data.db.abc.rehearsals", ".other.db.abc.rehearsal", "data.db.abc.rehearsal",
            ".data.db.zzzzzzzzzzzzzz.rehearsal", ".data.db.abc-1.rehearsal",
        ]
        for name in mine { try folder.write(name, "somebody's") }
        let files = FileManager.default
        try files.createSymbolicLink(
            atPath: folder.file(".data.db.abc7.rehearsal-lock").string,
            withDestinationPath: mine[0])
        try files.createDirectory(
            atPath: folder.file(".data.db.abc8.rehearsal").string, withIntermediateDirectories: false)
        let before = try names
        do { _ = try copy().path }
        #expect(try names == before)
    }
}
