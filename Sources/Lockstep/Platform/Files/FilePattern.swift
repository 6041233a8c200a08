internal import SystemPackage

/// A path with `*` and `?` as in shells, expanded without a shell.
///
/// `*` matches any characters of a name except a dot at its beginning, `?` matches one character, and a component `**`
/// matches zero or more folders without following links. At the end of a pattern, `**` matches all files in them. No
/// other character is special.
struct FilePattern {
    private let root: FilePath
    private let components: [String]

    init(_ pattern: String) {
        let path = FilePath(pattern)
        root = path.root.map { FilePath(root: $0) } ?? FilePath("")
        let names = path.components.map(\.string)
        components = names.last == "**" ? names + ["*"] : names
    }

    /// Whether `text` contains `*` or `?`.
    static func isPattern(_ text: some StringProtocol) -> Bool {
        text.utf8.contains(UInt8(ascii: "*")) || text.utf8.contains(UInt8(ascii: "?"))
    }

    /// The matching files, by name. Entries that are not files and folders that cannot be listed are skipped. A path
    /// without `*` and `?` matches itself, whether it exists or not.
    func files() throws -> [FilePath] {
        var found: Set<ExactText> = []
        try expand(root, components[...]) { found.insert(ExactText($0.string)) }
        return found.sorted().map { FilePath($0.text) }
    }

    private func expand(_ folder: FilePath, _ rest: ArraySlice<String>, _ report: (FilePath) -> Void) throws {
        guard let first = rest.first else { return }
        let others = rest.dropFirst()
        guard Self.isPattern(first) else {
            let path = folder.appending(first)
            return others.isEmpty ? report(path) : try expand(path, others, report)
        }
        guard let (files, folders) = try Self.list(folder, hidden: first.begins(with: ".")) else {
            return
        }
        if first == "**" {
            try expand(folder, others, report)
            for name in folders where try !Self.isLink(folder.appending(name)) {
                try expand(folder.appending(name), rest, report)
            }
        } else if others.isEmpty {
            for name in files where Self.matches(name, first) { report(folder.appending(name)) }
        } else {
            for name in folders where Self.matches(name, first) {
                try expand(folder.appending(name), others, report)
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

    /// Whether a name matches one component. Takes at most the product of their lengths in steps.
    static func matches(_ name: String, _ pattern: String) -> Bool {
        let name = characters(name)
        let pattern = characters(pattern)
        var (at, position) = (0, 0)
        // The last star and the position in the name at that point.
        var star: Int?
        var resume = 0
        while at < name.count {
            if position < pattern.count, pattern[position] == "*" {
                star = position
                resume = at
                position += 1
            } else if position < pattern.count,
                pattern[position] == "?" || pattern[position] == name[at]  // exact: exact texts
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

    /// The characters of a name, by their bytes: a pattern with `é` in one character does not match it in two. A mark
    /// that combines with `*` or `?` is a character of its own.
    private static func characters(_ text: String) -> [ExactText] {
        text.flatMap { character in
            let scalars = character.unicodeScalars
            guard scalars.count > 1, let first = scalars.first, first == "*" || first == "?" else {
                return [ExactText(String(character))]
            }
            return [ExactText(String(first)), ExactText(String(scalars.dropFirst()))]
        }
    }
}
