internal import SystemPackage

/// A path with `*` and `?` in it, as shells have them, expanded without one.
///
/// `*` stands for any characters of a name but a dot at its beginning, `?` for one character, and a component
/// `**` for any number of folders, none included; it follows no links. At the end it stands for all files in
/// them. Nothing else has a meaning.
struct FilePattern {
    private let root: FilePath
    private let components: [String]

    init(_ pattern: String) {
        let path = FilePath(pattern)
        root = path.root.map { FilePath(root: $0) } ?? FilePath("")
        let names = path.components.map(\.string)
        components = names.last == "**" ? names + ["*"] : names
    }

    /// Whether `text` is more than a plain path.
    static func isPattern(_ text: some StringProtocol) -> Bool {
        text.contains("*") || text.contains("?")
    }

    /// The files that it stands for, by name. What is no file, or lies in a folder that may not be listed,
    /// is passed over; a path without `*` and `?` stands for itself, whether it exists or not.
    func files() throws -> [FilePath] {
        var found: Set<String> = []
        try expand(root, components[...]) { found.insert($0.string) }
        return found.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
            .map { FilePath($0) }
    }

    private func expand(
        _ folder: FilePath, _ rest: ArraySlice<String>, _ tell: (FilePath) -> Void
    ) throws {
        guard let first = rest.first else { return }
        let others = rest.dropFirst()
        guard Self.isPattern(first) else {
            let path = folder.appending(first)
            return others.isEmpty ? tell(path) : try expand(path, others, tell)
        }
        guard let (files, folders) = try Self.list(folder, hidden: first.hasPrefix(".")) else {
            return
        }
        if first == "**" {
            try expand(folder, others, tell)
            for name in folders where try !Self.isLink(folder.appending(name)) {
                try expand(folder.appending(name), rest, tell)
            }
        } else if others.isEmpty {
            for name in files where Self.matches(name, first) { tell(folder.appending(name)) }
        } else {
            for name in folders where Self.matches(name, first) {
                try expand(folder.appending(name), others, tell)
            }
        }
    }

    private static func list(
        _ folder: FilePath, hidden: Bool
    ) throws -> (files: [String], folders: [String])? {
        do {
            let (files, folders) = try Folder.list(folder.isEmpty ? "." : folder, hidden: hidden)
            return (files, folders.filter { $0 != "." && $0 != ".." })
        } catch let error as LockstepError
            where [.notFound, .notAFile, .accessDenied].contains(error.code)
        {
            return nil
        }
    }

    private static func isLink(_ path: FilePath) throws -> Bool {
        try translatingErrno("look at", path) {
            try Stat(path, followTargetSymlink: false).type == .symbolicLink
        }
    }

    /// Whether a name fits one component. At most the product of their lengths in steps.
    static func matches(_ name: String, _ pattern: String) -> Bool {
        let name = Array(name)
        let pattern = Array(pattern)
        var (at, position) = (0, 0)
        // The last star, and how far the name had come there.
        var star: Int?
        var resume = 0
        while at < name.count {
            if position < pattern.count, pattern[position] == "*" {
                star = position
                resume = at
                position += 1
            } else if position < pattern.count,
                pattern[position] == "?" || pattern[position] == name[at]
            {
                (at, position) = (at + 1, position + 1)
            } else if let star {
                resume += 1
                (at, position) = (resume, star + 1)
            } else {
                return false
            }
        }
        return pattern[position...].allSatisfy { $0 == "*" }
    }
}
