import SystemPackage

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

extension FileAccess {
    /// Requires that only root and this user can have made a program, and can replace it: they own its file, every
    /// folder on the way to it and every symbolic link there, and nobody else can write to the file or the folders.
    /// Where links lead elsewhere, the same holds there. A sticky folder on the way, such as `/tmp`, does no harm,
    /// because others cannot replace in it what is not theirs.
    /// - Parameter title: What the program is, for the error.
    /// - Throws: ``LockstepError/Code/permissionsTooOpen``; ``LockstepError/Code/accessDenied`` and other errors of
    ///   the system.
    static func requireTrusted(program: FilePath, _ title: String) throws(LockstepError) {
        try requireTrusted(asWritten: program, title)
        guard let real = unsafe program.withPlatformString({ unsafe realpath($0, nil) }) else {
            throw LockstepError.system(Errno(rawValue: errno), "look at", program)
        }
        defer { unsafe free(real) }
        try requireTrusted(asWritten: unsafe FilePath(platformString: real), title)
    }

    private static func requireTrusted(
        asWritten path: FilePath, _ title: String
    ) throws(LockstepError) {
        var next: FilePath? = path
        while let place = next {
            try requireTrusted(place, isWay: place != path && place != path.removingLastComponent(), title)
            next = place.components.isEmpty ? nil : place.removingLastComponent()
        }
    }

    /// - Parameter isWay: Whether it is a folder above the program's own.
    private static func requireTrusted(
        _ place: FilePath, isWay: Bool, _ title: String
    ) throws(LockstepError) {
        let status: Stat
        do {
            status = try Stat(place, followTargetSymlink: false)
        } catch {
            throw LockstepError.system(error, "look at", place)
        }
        guard [0, geteuid()].contains(status.userID.rawValue) else {
            throw LockstepError(
                .permissionsTooOpen, "\(title) is not run: \(place) belongs to another user",
                hint: "install it where only you or root can write, in a folder of PATH", context: .file(place))
        }
        guard status.type != .symbolicLink else { return }
        let isShared = !status.permissions.isDisjoint(with: [.groupWrite, .otherWrite])
        guard isShared, !(isWay && status.permissions.contains(.saveText)) else { return }
        throw LockstepError(
            .permissionsTooOpen, "\(title) is not run: others can write to \(place)",
            hint: "close it, if nobody has changed the program: chmod go-w \(place)", context: .file(place))
    }
}
