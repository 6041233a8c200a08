import TestSupport
import Testing

@testable import Lockstep

@Suite("File locks")
struct FileLockTests {
    @Test("A second caller is refused at once, and can have the lock when the first is done")
    func exclusive() throws {
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
