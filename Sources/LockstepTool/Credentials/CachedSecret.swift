import Lockstep
import Synchronization
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

// Secrets are read once
// =====================
//
// A command needs a secret more than once: for each keyring that it opens, and again if somebody changes a keyring while
// it runs. What gave the secret cannot give it twice: a descriptor is at its end, a variable is wiped, a person has typed
// it, and a program may ask for a touch. So what was read stays in locked memory until the command ends.

/// A secret that is read once.
final class CachedSecret: Sendable {
    private let secret = Mutex<SharedSecret<SecretBytes>?>(nil)

    /// A copy; nil if there was nothing to read yet.
    func copy(_ read: () throws -> SecretBytes?) throws -> SecretBytes? {
        if let known = secret.withLock({ $0 }) { return try known.value.clone() }
        guard let found = try read() else { return nil }
        let shared = SharedSecret(found)
        secret.withLock { $0 = shared }
        return try shared.value.clone()
    }
}

/// The credential of a new slot, which is read once, however often the slot is added.
final class NewCredential {
    private var credential: Credential?

    /// - Parameter read: Reads the credential, the first time.
    func use(_ read: () throws -> Credential, _ body: (borrowing Credential) throws -> Void) throws {
        if credential == nil { credential = try read() }
        switch credential {
        case .some(let credential): try body(credential)
        case .none: break
        }
    }
}

extension SecretBytes {
    /// What this file descriptor holds up to end of file. It is read once: an option that names the same descriptor, and
    /// a second attempt, get the same.
    init(readingFrom number: Int32) throws {
        let found = try DescriptorSecrets.cache(number)?.copy { try Self(endOf: number) }
        self = if let found { found } else { try Self(endOf: number) }
    }

    private init(endOf number: Int32) throws {
        try self.init(readingFrom: FileDescriptor(rawValue: number), FilePath("descriptor \(number)"), limit: 4097)
    }
}

/// The secrets that came through descriptors.
private enum DescriptorSecrets {
    /// What is open at a descriptor: its number can be used for something else later.
    struct Source: Hashable {
        let number: Int32
        let device: UInt64
        let inode: UInt64
    }

    private static let caches = Mutex<[Source: CachedSecret]>([:])

    /// Nil for a number at which nothing is open.
    static func cache(_ number: Int32) throws -> CachedSecret? {
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { return nil }
        let source = Source(
            number: number, device: UInt64(truncatingIfNeeded: status.st_dev),
            inode: UInt64(truncatingIfNeeded: status.st_ino))
        return caches.withLock { caches in
            let cache = caches[source, default: CachedSecret()]
            caches[source] = cache
            return cache
        }
    }
}
