import Lockstep
import SystemPackage

/// The bytes of a file, piece by piece, in constant memory.
struct FilePieces: ~Copyable {
    private static let size = 65_536

    private let path: FilePath
    private let file: FileDescriptor

    init(_ path: FilePath) throws {
        file = try FileAccess.open(path, .ordinary)
        self.path = path
    }

    deinit { try? file.close() }

    /// The next bytes, or nil at the end.
    func next() throws -> [UInt8]? {
        var piece = [UInt8](repeating: 0, count: Self.size)
        let count = try translatingErrno("read", path) {
            try unsafe piece.withUnsafeMutableBytes { try unsafe file.read(into: $0) }
        }
        guard count > 0 else { return nil }
        piece.removeLast(Self.size - count)
        return piece
    }
}
