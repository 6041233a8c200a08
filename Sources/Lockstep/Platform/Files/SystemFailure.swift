package import SystemPackage

extension LockstepError {
    /// The error for a failed system call, with the file and a hint.
    static func system(_ errno: Errno, _ action: String, _ path: FilePath) -> LockstepError {
        let what = "cannot \(action) \(path): \(errno)"
        switch errno {
        case .noSuchFileOrDirectory:
            return LockstepError(
                .notFound, "\(path) does not exist", hint: "check the path's spelling")
        case .permissionDenied, .notPermitted:
            return LockstepError(
                .accessDenied, what,
                hint: "check the owner and permissions of the file and its folder")
        case .isDirectory:
            return LockstepError(
                .notAFile, "\(path) is a folder, not a file", hint: "give the path of a file")
        case .notDirectory:
            return LockstepError(
                .notAFile, "a part of \(path) is a file where a folder is expected",
                hint: "check the path's spelling")
        case .tooManySymbolicLinkLevels:
            return LockstepError(
                .notAFile, "\(path) is a symbolic link, which is refused here",
                hint: "give the path of the file that the link points to")
        case .fileExists:
            return LockstepError(
                .alreadyExists, "\(path) already exists",
                hint: "choose another path, or move the file away first")
        case .noSpace:
            return LockstepError(.full, what, hint: "free some space on the disk and run it again")
        case .readOnlyFileSystem:
            return LockstepError(.accessDenied, what, hint: "the file system is mounted read-only")
        default:
            return LockstepError(
                .inputOutput, what, hint: "check the disk and the file's permissions")
        }
    }
}

/// Runs a swift-system call and converts its failure to a `LockstepError`.
package func translatingErrno<Result: ~Copyable>(
    _ action: String, _ path: FilePath, _ body: () throws -> Result
) throws -> Result {
    do {
        return try body()
    } catch let errno as Errno {
        throw LockstepError.system(errno, action, path)
    }
}
