internal import CSQLCipher
internal import SystemPackage

extension Opening {
    /// Opens a file that nobody changes: SQLite takes no lock, looks for no log, and makes no file.
    /// - Parameter unchanging: The file as it is before anything is read.
    static func openImmutable(
        _ path: FilePath, _ unchanging: inout UnchangingFile?
    ) throws -> OpaquePointer {
        unchanging = UnchangingFile(path)
        if let side = try DatabaseFile.pendingSide(of: path) {
            throw ReadOnlyPlace.unreadable(side, of: path)
        }
        var opened: OpaquePointer?
        let code = unsafe sqlite3_open_v2(
            immutableURI(path), &opened,
            SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, try GuardedVFS.name())
        return try unsafe usable(opened, code, path)
    }

    /// Only the path's letters and digits stand for themselves, so that no path has parameters of its own.
    static func immutableURI(_ path: FilePath) -> String {
        let plain = Array("/-_.".utf8)
        let escaped = fileName(path).utf8.map { byte in
            byte.isASCIILetter || byte.isASCIIDigit || plain.contains(byte)
                ? String(decoding: [byte], as: UTF8.self) : "%\(Hex.encode([byte]))"
        }
        return "file:\(escaped.joined())?immutable=1"
    }
}
