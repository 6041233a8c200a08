internal import SystemPackage

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

extension FilePath {
    /// The path from the root: another working directory does not change what it means. Links stay as they are.
    var fromRoot: FilePath { LastingPath(self).fromRoot }
}

/// A path that goes on to mean the same file when the process changes its working directory, and is what the caller
/// wrote until then, so that errors name it so.
struct LastingPath: Sendable {
    private let given: FilePath
    /// The working directory at first; nil for an absolute path.
    private let folder: FilePath?

    init(_ given: FilePath) {
        self.given = given
        folder = given.isRelative ? Self.workingDirectory : nil
    }

    var fromRoot: FilePath { folder?.pushing(given) ?? given }

    /// What names the file now.
    var path: FilePath { folder == nil || folder == Self.workingDirectory ? given : fromRoot }

    private static var workingDirectory: FilePath? {
        guard let folder = unsafe getcwd(nil, 0) else { return nil }
        defer { unsafe free(folder) }
        return unsafe FilePath(platformString: folder)
    }
}

/// The absolute path of a file, without symbolic links.
enum RealPath {
    /// The real path of `path`. Of what does not exist, the folders that do exist are resolved.
    static func of(_ path: FilePath) throws -> FilePath {
        if let real = resolved(path) { return real }
        let problem = errno
        guard problem == ENOENT, let name = path.lastComponent, name.kind == .regular else {
            throw LockstepError.system(Errno(rawValue: problem), "look at", path)
        }
        return try of(AtomicFile.parent(of: path)).appending(name)
    }

    /// The names that a path has while its folders are followed one after the other: from the path as it is given to its
    /// real one.
    static func ways(_ path: FilePath) -> Set<FilePath> {
        var ways: Set<FilePath> = [path.fromRoot]
        var rest = FilePath(root: nil, [])
        var folder = path.fromRoot
        while let name = folder.lastComponent {
            if let real = resolved(folder) { ways.insert(real.appending(rest.components)) }
            // What is before `..` is not on the way.
            if name.kind == .parentDirectory { break }
            if name.kind == .regular { rest = FilePath(root: nil, [name] + rest.components) }
            folder = folder.removingLastComponent()
        }
        return ways
    }

    private static func resolved(_ path: FilePath) -> FilePath? {
        unsafe path.withPlatformString { name in
            guard let real = unsafe realpath(name, nil) else { return nil }
            defer { unsafe free(real) }
            return unsafe FilePath(platformString: real)
        }
    }
}
