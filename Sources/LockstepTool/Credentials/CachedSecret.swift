import Lockstep
import SystemPackage

/// A secret that is read once.
final class CachedSecret {
    private var secret: SecretBytes?

    /// A copy; nil if there was nothing to read yet.
    func copy(_ read: () throws -> SecretBytes?) throws -> SecretBytes? {
        if secret == nil { secret = try read() }
        return try secret?.clone()
    }
}

extension SecretBytes {
    /// Reads this file descriptor up to end of file.
    init(readingFrom number: Int32) throws {
        try self.init(readingFrom: FileDescriptor(rawValue: number), FilePath("descriptor \(number)"), limit: 4097)
    }
}
