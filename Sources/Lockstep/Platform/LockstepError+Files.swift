package import SystemPackage

/// Files and folders.
extension LockstepError.Code {
    /// The file or folder does not exist.
    public static let notFound = Self("not-found")
    /// The operating system refuses access.
    public static let accessDenied = Self("access-denied")
    /// The path names a folder, a symbolic link, a device or anything else that is not a regular file.
    public static let notAFile = Self("not-a-file")
    /// A secret file is readable or writable by others, or belongs to someone else.
    public static let permissionsTooOpen = Self("permissions-too-open")
    /// The file already exists and would have been overwritten.
    public static let alreadyExists = Self("already-exists")
    /// A file is larger than its format allows, or a value is too large to be read at once.
    public static let tooLarge = Self("too-large")
    /// Reading, writing or syncing failed.
    public static let inputOutput = Self("input-output")
    /// The disk is full, or the page limit is reached.
    public static let full = Self("full")
    /// Another process holds the lock.
    public static let locked = Self("locked")
}

extension LockstepError {
    /// The same error with its file: the message begins with `path`, and the context names it.
    package func located(in path: FilePath) -> LockstepError {
        located("\(path)", context: .file(path))
    }
}

extension LockstepError.Context {
    /// The context of an error about a file or folder.
    package static func file(_ path: FilePath) -> Self { Self(file: path.string) }
}
