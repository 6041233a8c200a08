internal import SystemPackage

/// A database file as bytes: what can be learned of it without SQLite, and without writing.
struct DatabaseFile: ~Copyable {
    let path: FilePath
    let size: Int
    private let file: FileDescriptor

    /// How every plaintext SQLite file begins.
    static let magic = Array("SQLite format 3\0".utf8)

    init(_ path: FilePath) throws {
        let file = try FileAccess.open(path, .ordinary)
        do {
            let end = try translatingErrno("measure", path) { try file.seek(offset: 0, from: .end) }
            self.size = Int(end)
        } catch {
            try? file.close()
            throw error
        }
        self.path = path
        self.file = file
    }

    deinit { try? file.close() }

    /// Up to `count` bytes from `offset` on; fewer only at the file's end.
    func read(at offset: Int, _ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = try translatingErrno("read", path) {
                try unsafe bytes.withUnsafeMutableBytes { buffer in
                    try unsafe file.read(
                        fromAbsoluteOffset: Int64(offset + filled),
                        into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
                }
            }
            if got == 0 { break }
            filled += got
        }
        return Array(bytes[..<filled])
    }

    /// The path of a side file: `-wal`, `-shm` or `-journal`.
    static func side(_ suffix: String, of path: FilePath) -> FilePath {
        FilePath(path.string + suffix)
    }
}
