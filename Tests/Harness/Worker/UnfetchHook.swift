import CSQLCipher
import Lockstep

/// Runs a closure in the middle of a checkpoint: after SQLite has read the header of the WAL index, and before it
/// checks how much of the log has been copied.
///
/// At that point SQLite releases its mapping of the database file (`sqlite3OsUnfetch` in `sqlite3WalCheckpoint`), which
/// is a call of the VFS. One hook at a time in a process.
enum UnfetchHook {
    nonisolated(unsafe) private static var body: (() -> Void)?
    nonisolated(unsafe) private static var below:
        (@convention(c) (UnsafeMutablePointer<sqlite3_file>?, Int64, UnsafeMutableRawPointer?) -> Int32)?

    /// Makes the connection's next checkpoint run `body`, once.
    static func install(_ connection: borrowing Connection, _ body: @escaping () -> Void) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let code = withUnsafeMutablePointer(to: &file) {
            sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_FILE_POINTER, $0)
        }
        guard code == SQLITE_OK, let file = file, let methods = file.pointee.pMethods
        else { return }
        self.body = body
        below = methods.pointee.xUnfetch
        let hooked = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        hooked.initialize(to: methods.pointee)
        hooked.pointee.xUnfetch = { file, offset, page in
            let body = UnfetchHook.body
            UnfetchHook.body = nil
            body?()
            return UnfetchHook.below?(file, offset, page) ?? SQLITE_OK
        }
        file.pointee.pMethods = UnsafePointer(hooked)
    }
}
