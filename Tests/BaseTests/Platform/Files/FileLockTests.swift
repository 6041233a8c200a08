import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("File locks")
struct FileLockTests {
    @Test("A lock ends although a child process still has its descriptor")
    func inherited() throws {
        let folder = try TemporaryFolder()
        let path = folder.file(".lock")
        var inherited: FileDescriptor?
        do {
            let lock = try FileLock(path)
            inherited = try lock.file.duplicate()
        }
        let other = try FileLock(path)
        _ = other
        try inherited?.close()
    }

    @Test("A lock can be shared, and keeps out a caller that wants it alone")
    func shared() throws {
        let folder = try TemporaryFolder()
        let path = folder.file(".lock")
        do {
            let first = try FileLock(path, .shared)
            let second = try FileLock(path, .shared)
            Refusal.expect(.locked) { _ = try FileLock(path) }
            _ = first
            _ = second
        }
        let alone = try FileLock(path)
        Refusal.expect(.locked) { _ = try FileLock(path, .shared) }
        _ = alone
    }

    @Test("The holder is named where the system shows it")
    func holder() throws {
        let locks = """
            1: FLOCK  ADVISORY  WRITE 1 fe:00:70 0 EOF
            2: POSIX  ADVISORY  WRITE 4 fe:00:71 0 EOF
            3: -> FLOCK  ADVISORY  WRITE 5 fe:00:71 0 EOF
            4: FLOCK  ADVISORY  WRITE \(getpid()) fe:00:71 0 EOF
            """
        #expect(OtherProcess.holdingLock(on: "fe:00:71", among: locks)?.id == getpid())
        #expect(OtherProcess.holdingLock(on: "fe:00:72", among: locks)?.id == nil)
        #expect(OtherProcess.holdingLock(on: "fe:00:71", among: "")?.id == nil)
    }

    @Test("A second caller is refused at once, and can have the lock when the first is done") func exclusive() throws {
        let path = try TemporaryFolder().file("lock")
        let folder = try TemporaryFolder()
        let lock = folder.file(".lock")
        do {
            let first = try FileLock(lock)
            Refusal.expect(.locked, about: .file(lock)) { _ = try FileLock(lock) }
            _ = first
        }
        _ = try FileLock(lock)
        // Its folder is gone with the value that made it.
        Refusal.expect(.notFound, about: .file(path)) { _ = try FileLock(path) }
    }
}
