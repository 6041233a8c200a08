import Lockstep
import SystemPackage

/// The bytes of a file, piece by piece, in constant memory. For a file sealed for recipients, these are the plaintext
/// bytes.
struct FilePieces: ~Copyable {
    private let file: RawPieces
    private var decryption: AgeDecryption?
    /// The bytes that were read to detect the kind of file.
    private var first: [UInt8]?

    /// - Throws: `LockstepError.Code.slotNotOpened` for a sealed file without an identity of one of its recipients;
    ///   `LockstepError.Code.malformedInput` for an unsealed file with an identity.
    init(_ path: FilePath, _ identity: ImportIdentity? = nil) throws {
        let file = try RawPieces(path)
        let first = try file.next()
        var decryption: AgeDecryption?
        if let first, AgeDecryption.begins(first) {
            guard let identity else {
                throw LockstepError(
                    .slotNotOpened, "\(path) is sealed for recipients",
                    hint: "give the identity of one of them", context: .file(path))
            }
            decryption = try AgeDecryption("\(path)", identity.identity, first) { try file.next() }
        } else if identity != nil {
            throw Self.notSealed(path, first ?? [])
        }
        self.first = decryption == nil ? first : nil
        self.decryption = decryption
        self.file = file
    }

    /// A caller that passes an identity expects that the file could not be changed in transit.
    private static func notSealed(_ path: FilePath, _ first: [UInt8]) -> LockstepError {
        let isArmored = first.starts(with: Array("-----BEGIN AGE ENCRYPTED FILE-----".utf8))
        return LockstepError(
            .malformedInput, "\(path) is not a file in age's \(isArmored ? "binary " : "")format",
            advice: isArmored
                ? "it is armored: take the armor off first, for example with `age -d`"
                : "check that this is the file you mean; if it is plaintext, \(.leaveOutIdentity)",
            context: .file(path))
    }

    /// The next bytes, or nil at the end.
    mutating func next() throws -> [UInt8]? {
        if let first {
            self.first = nil
            return first
        }
        guard decryption != nil else { return try file.next() }
        // An empty sealed file has one empty piece.
        let piece = try read()
        return piece?.isEmpty == true ? nil : piece
    }

    private mutating func read() throws -> [UInt8]? {
        let file = file
        return try decryption?.next { try file.next() }
    }

    /// All of them.
    /// - Throws: `LockstepError.Code.tooLarge` for more than `limit`.
    static func all(
        of path: FilePath, _ identity: ImportIdentity?, limit: Int
    ) throws -> [UInt8] {
        var pieces = try FilePieces(path, identity)
        var bytes: [UInt8] = []
        while let piece = try pieces.next() {
            bytes += piece
            guard bytes.count <= limit else {
                throw LockstepError(
                    .tooLarge, "\(path) has more than \(limit) bytes",
                    hint: "import it in parts", context: .file(path))
            }
        }
        return bytes
    }
}

/// The bytes of a file as they are.
private final class RawPieces {
    private static let size = 65_536

    private let path: FilePath
    private let file: FileDescriptor

    init(_ path: FilePath) throws {
        file = try FileAccess.open(path, .ordinary)
        self.path = path
    }

    deinit { try? file.close() }

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
