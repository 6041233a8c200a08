package import SystemPackage

extension LockstepError {
    /// The error for a failed system call, with the file and a hint.
    static func system(_ errno: Errno, _ action: String, _ path: FilePath) -> LockstepError {
        system(errno, action, "\(path)").adding(.file(path))
    }

    /// The same for something that has a name in messages but no path.
    static func system(_ errno: Errno, _ action: String, _ name: String) -> LockstepError {
        func error(_ code: Code, _ message: String, _ hint: String) -> LockstepError {
            LockstepError(code, message, hint: hint)
        }
        let what = "cannot \(action) \(name): \(errno)"
        return switch errno {
        case .noSuchFileOrDirectory where action == "create":
            error(.notFound, "the folder of \(name) does not exist", "make the folder first")
        case .noSuchFileOrDirectory:
            error(.notFound, "\(name) does not exist", "check the path's spelling")
        case .permissionDenied, .notPermitted:
            error(
                .accessDenied, what, "check the owner and permissions of the file and its folder")
        case .isDirectory:
            error(.notAFile, "\(name) is a folder, not a file", "give the path of a file")
        case .notDirectory:
            error(.notAFile, "a part of \(name) is a file where a folder is expected", "check the path's spelling")
        case .tooManySymbolicLinkLevels:
            error(
                .notAFile, "\(name) is a symbolic link, which is refused here",
                "give the path of the file that the link points to")
        case .fileExists:
            error(.alreadyExists, "\(name) already exists", "choose another path, or move the file away first")
        case .noSpace: error(.full, what, "free some space on the disk and run it again")
        case .readOnlyFileSystem:
            error(.accessDenied, what, "the file system is mounted read-only")
        default: error(.inputOutput, what, "check the disk and the file's permissions")
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

/// The same for something that has a name in messages but no path.
func translatingErrno<Result: ~Copyable>(
    _ action: String, _ name: String, _ body: () throws -> Result
) throws -> Result {
    do {
        return try body()
    } catch let errno as Errno {
        throw LockstepError.system(errno, action, name)
    }
}
