import CSQLCipher
import Synchronization
import TestSupport
import Testing

@testable import Lockstep

/// A commit that begins the log again in the middle of another connection's checkpoint is not lost.
///
/// The schedule is forced: SQLite's own test of the race (walrestart.test) runs the commit where the checkpointer has
/// read one half of what it goes by. The oracle is what was read before the file was closed.
@Suite("Checkpoints beside commits", .serialized)
struct CheckpointGuardTests {
    /// Whether the SQLite of this process has the race.
    static let hasRace: Bool = {
        let number = sqlite3_libversion_number()
        return number < 3_044_006 || (3_045_000..<3_050_007).contains(number)
            || (3_051_000..<3_051_003).contains(number)
    }()

    private static let rows = 80

    private static func values(_ connection: borrowing Connection) throws -> [String] {
        try connection.query("SELECT hex(b) FROM t NOT INDEXED ORDER BY a") { try $0[0] as String }
    }

    /// How many rows are not what was committed, once the forced schedule is over.
    private static func wrongRows(_ mode: CheckpointMode, isGuarded: Bool) throws -> Int {
        CheckpointGuard.isOff.store(!isGuarded, ordering: .relaxed)
        defer { CheckpointGuard.isOff.store(false, ordering: .relaxed) }
        let folder = try TemporaryFolder()
        let path = folder.file("t.db")
        let key = try DatabaseKey.ephemeral()
        var options = ConnectionOptions()
        options.synchronous = .normal
        options.busyTimeout = .milliseconds(50)
        let wanted: [String]
        do {
            let one = try Connection.create(path, key: key, options: options)
            try one.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b)")
            for row in 1...rows {
                try one.execute("INSERT INTO t VALUES (?, randomblob(1800))", row)
            }
            let other = try Connection.open(path, key: key, options: options)
            try one.checkpoint(.passive)
            try other.execute("UPDATE t SET b = randomblob(1800)")
            #expect(try other.checkpoint(.passive).isComplete)
            var failure: (any Error)?
            var hasRun = false
            var isComplete = false
            unsafe withUnsafePointer(to: other) { other in
                UnfetchHook.install(one) {
                    hasRun = true
                    do {
                        try unsafe other.pointee.execute(
                            "UPDATE t SET b = randomblob(1800) WHERE a < 5")
                    } catch { failure = error }
                }
                isComplete = (try? one.checkpoint(mode))?.isComplete ?? false
            }
            // With the writer's lock taken, the commit was refused and comes later.
            if mode == .passive {
                #expect(failure == nil)
            } else {
                #expect((failure as? LockstepError)?.code == .busy)
            }
            #expect(hasRun)
            // Stopped, or else alone with the writer's lock.
            #expect(isComplete == (mode != .passive || !isGuarded))
            try other.execute("UPDATE t SET b = randomblob(1800)")
            wanted = try values(other)
            try other.checkpoint(.passive)
        }
        let again = try Connection.open(path, key: key, options: options)
        guard let found = try? values(again), found.count == wanted.count else { return rows }
        return zip(wanted, found).count { $0 != $1 }
    }

    @Test("A log that begins again in the middle stops the checkpoint, and nothing is lost")
    func forced() throws {
        let before = CheckpointGuard.stops.load(ordering: .relaxed)
        #expect(try Self.wrongRows(.passive, isGuarded: true) == 0)
        #expect(CheckpointGuard.stops.load(ordering: .relaxed) > before)
    }

    @Test("Modes that take the writer's lock are not stopped")
    func full() throws {
        #expect(try Self.wrongRows(.full, isGuarded: true) == 0)
        #expect(try Self.wrongRows(.truncate, isGuarded: true) == 0)
    }

    @Test("Negative control: without the guard the same schedule loses what was committed")
    func control() throws {
        guard Self.hasRace else {
            print("skipped: this SQLite has not the race")
            return
        }
        #expect(try Self.wrongRows(.passive, isGuarded: false) > 0)
    }

    @Test("A VFS that cannot be guarded is refused before anything is opened")
    func refused() throws {
        var large = sqlite3_vfs()
        if let stock = unsafe sqlite3_vfs_find(nil) { unsafe large = unsafe stock.pointee }
        large.szOsFile = 5000
        let before = unsafe sqlite3_vfs_find("lockstep-unix")
        unsafe withUnsafeMutablePointer(to: &large) { large in
            Refusal.expect(.libraryUnusable) { _ = try unsafe GuardedVFS.name(over: large) }
        }
        Refusal.expect(.libraryUnusable) { _ = try unsafe GuardedVFS.name(over: nil) }
        let after = unsafe sqlite3_vfs_find("lockstep-unix")
        #expect(unsafe after == before)
    }

    @Test("Every connection to a file is guarded")
    func everyConnection() throws {
        let folder = try TemporaryFolder()
        let key = try DatabaseKey.ephemeral()
        let connection = try Connection.create(folder.file("t.db"), key: key)
        var vfs: UnsafeMutablePointer<sqlite3_vfs>?
        let found = unsafe withUnsafeMutablePointer(to: &vfs) {
            unsafe sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_VFS_POINTER, $0)
        }
        #expect(found == SQLITE_OK)
        let used = unsafe vfs?.pointee.zName.map { unsafe String(cString: $0) }
        #expect(used?.hasPrefix("lockstep-") == true)
    }
}
