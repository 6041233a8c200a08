internal import SystemPackage

extension VerificationReport.Check {
    /// Only the owner can read or write the file, the files beside it, and the keyring.
    public static let permissions = Self("permissions") { job in
        .beforehand { _ in
            try PermissionsCheck.run(
                job.verification.path, keyring: job.verification.keyringFile)
        }
    }
}

/// Only the owner can read or write the database, the files beside it, and the keyring.
///
/// A user who can only read the database learns its size and which pages change, which deserves a notice. A
/// user who can write to it can destroy it, and a user who reads the keyring can guess its passphrase without
/// limit.
enum PermissionsCheck {
    static func run(_ path: FilePath, keyring: FilePath?) throws -> CheckResult {
        var findings: [VerificationReport.Finding] = []
        var files = 0
        for suffix in DatabaseFile.suffixes {
            let side = DatabaseFile.side(suffix, of: path)
            guard let rights = try FileAccess.rights(on: side) else { continue }
            files += 1
            if rights.isWritableByOthers {
                findings.append(
                    .failure(
                        "others can write to \(side) (mode \(rights.mode)), and so destroy it: " + "chmod 600 \(side)"))
            } else if rights.isReadableByOthers {
                findings.append(
                    .notice(
                        "others can read \(side) (mode \(rights.mode)): it is encrypted, but its size "
                            + "and changes are visible: chmod 600 \(side)"))
            }
            if !rights.isOwn {
                findings.append(.notice("\(side) belongs to another user"))
            }
        }
        if let keyring, let rights = try FileAccess.rights(on: keyring) {
            files += 1
            if rights.isReadableByOthers || rights.isWritableByOthers || !rights.isOwn {
                findings.append(
                    .failure(
                        "the keyring \(keyring) is open to others (mode \(rights.mode)): " + "chmod 600 \(keyring)"))
            }
        }
        let folder = AtomicFile.parent(of: path)
        if let rights = try FileAccess.rights(on: folder), rights.isWritableByOthers, !rights.isSticky {
            findings.append(
                .notice(
                    "others can write to the folder \(folder) (mode \(rights.mode)), and so replace "
                        + "the database with another file"))
        }
        return (counted(files, "file"), findings)
    }
}
