import CSQLCipher
import SystemPackage

@testable import Lockstep

/// A database opened with SQLCipher's functions alone, under any settings that a test needs: no part of the engine is
/// involved except the registered provider.
final class RawDatabase {
    struct Failure: Error {
        let code: Int32
        let message: String
    }

    /// The key of ``DatabaseScratch``, as SQLCipher takes it.
    static let keyspec = "x'" + String(repeating: "01", count: 32) + "'"

    private let handle: OpaquePointer

    /// - Parameter key: A passphrase or a keyspec; nil for a file that is not encrypted.
    init(_ path: FilePath, key: String?, _ pragmas: String...) throws {
        _ = try Connection.libraryVersion()
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path.string, &opened, flags, nil)
        guard code == SQLITE_OK, let handle = opened else {
            throw Failure(code: code, message: "open")
        }
        self.handle = handle
        if let key {
            let keyed = sqlite3_key_v2(handle, "main", key, Int32(key.utf8.count))
            guard keyed == SQLITE_OK else { throw Failure(code: keyed, message: "key") }
        }
        for pragma in pragmas { try run("PRAGMA \(pragma)") }
    }

    deinit { sqlite3_close_v2(handle) }

    /// Runs statements and returns the first column of every row.
    @discardableResult
    func run(_ sql: String) throws -> [String] {
        var rows: [String] = []
        let code = withUnsafeMutablePointer(to: &rows) { rows in
            sqlite3_exec(
                handle, sql,
                { rows, _, values, _ in
                    let text = values?[0].map { String(cString: $0) }
                    rows?.assumingMemoryBound(to: [String].self).pointee
                        .append(text ?? "NULL")
                    return 0
                }, rows, nil)
        }
        guard code == SQLITE_OK else {
            throw Failure(code: code, message: String(cString: sqlite3_errmsg(handle)))
        }
        return rows
    }
}
