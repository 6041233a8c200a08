internal import SystemPackage

/// A copy of a SQLCipher file with MACs that SQLCipher reads without `cipher_hmac_salt_mask`. The pages stay as they
/// are, encrypted with the same key.
///
/// SQLCipher keeps that one setting for the whole process and not for a connection: to set it would make every other
/// database that is opened meanwhile unreadable, or write it so. Without it, such a file opens only after this.
final class RemadeMACs {
    private let pending: PendingDatabase
    /// The settings under which the copy opens.
    let settings: ForeignSettings

    /// The path of the copy, which is removed with this value.
    var path: FilePath { pending.path }

    /// Whether a file needs it.
    static func isNeeded(_ profile: Profile) -> Bool {
        profile.authenticates && profile.saltMask != Profile.current.saltMask
    }

    /// - Parameters:
    ///   - original: The file, which is only read.
    ///   - found: Its settings.
    ///   - target: A path in the folder for the copy, which takes as much space as the file.
    /// - Throws: ``LockstepError/Code/damaged`` for a page whose MAC fails, ``LockstepError/Code/busy`` if the file is
    ///   written to meanwhile, ``LockstepError/Code/readOnly`` if a log or a journal must be applied first.
    init(
        of original: FilePath, _ found: ForeignSettings, _ key: ForeignKey,
        beside target: FilePath
    ) throws {
        try Self.requireNoLog(original)
        var profile = found.profile
        profile.saltMask = Profile.current.saltMask
        settings = ForeignSettings(profile: profile, salt: found.salt)
        pending = try PendingDatabase(for: target)
        let secret = try key.secret(profile, salt: found.salt)
        let old = try PageAuthenticator(found.profile, key: secret, salt: found.salt)
        let new = try PageAuthenticator(profile, key: secret, salt: found.salt)
        let source = try DatabaseFile(original)
        let first = try source.read(at: 0, profile.pageSize)
        let file = try translatingErrno("open", pending.path) {
            try FileDescriptor.open(pending.path, .writeOnly, options: [.closeOnExec, .noFollow])
        }
        try file.closeAfter {
            for index in 0..<(source.size / profile.pageSize) {
                let number = UInt32(clamping: index + 1)
                var page = try source.read(at: index * profile.pageSize, profile.pageSize)
                if number != profile.lockPage {
                    guard try old.verifies(page.span, number: number) else {
                        throw Self.damaged(original, number)
                    }
                    let code = try new.code(of: page.span, number: number)
                    page.replaceSubrange(profile.codeRange, with: code)
                }
                try translatingErrno("write", pending.path) { _ = try file.writeAll(page) }
            }
        }
        guard try DatabaseFile(original).size == source.size, try source.read(at: 0, profile.pageSize) == first else {
            throw LockstepError(
                .busy, "\(original) was written to while it was read",
                hint: "stop the programs that use it, or adopt a copy", context: .file(original))
        }
    }

    /// The copy has the pages of the file alone.
    private static func requireNoLog(_ original: FilePath) throws {
        guard let side = try DatabaseFile.pendingSide(of: original) else { return }
        throw LockstepError(
            .readOnly, "\(side) must be applied to the database first",
            hint: "open and close the database once with the program that wrote it", context: .file(side))
    }

    private static func damaged(_ original: FilePath, _ number: UInt32) -> LockstepError {
        LockstepError(
            .damaged, "\(original): the MAC of page \(number) fails",
            advice: "restore it from a backup, or recover what is readable with \(.salvageForeign)",
            context: .file(original))
    }
}
