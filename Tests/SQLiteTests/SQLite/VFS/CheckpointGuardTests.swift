import CSQLCipher
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// The VFS that keeps a checkpoint from losing commits is under every connection, or nothing opens.
@Suite("The checkpoint guard")
struct CheckpointGuardTests {
    @Test("A VFS that cannot be guarded is refused before anything is opened")
    func refused() throws {
        var large = sqlite3_vfs()
        if let stock = sqlite3_vfs_find(nil) { large = stock.pointee }
        large.szOsFile = 5000
        let before = sqlite3_vfs_find("lockstep-unix")
        withUnsafeMutablePointer(to: &large) { large in
            Refusal.expect(.libraryUnusable) { _ = try GuardedVFS.name(over: large) }
        }
        Refusal.expect(.libraryUnusable) { _ = try GuardedVFS.name(over: nil) }
        let after = sqlite3_vfs_find("lockstep-unix")
        #expect(after == before)
    }

    @Test("Every connection to a file is guarded")
    func everyConnection() throws {
        let folder = try TemporaryFolder()
        let key = try DatabaseKey.ephemeral()
        let connection = try Connection.create(folder.file("t.db"), key: key)
        var vfs: UnsafeMutablePointer<sqlite3_vfs>?
        let found = withUnsafeMutablePointer(to: &vfs) {
            sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_VFS_POINTER, $0)
        }
        #expect(found == SQLITE_OK)
        let used = vfs?.pointee.zName.map { String(cString: $0) }
        #expect(used?.hasPrefix("lockstep-") == true)
    }
}
