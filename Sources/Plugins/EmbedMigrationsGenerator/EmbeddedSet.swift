import Foundation

/// An error message for the build log.
struct GeneratorError: Error, CustomStringConvertible {
    let message: String
    var description: String { message }
}

/// The visible files of one migration set, byte for byte. The engine decides which of them are migrations or settings.
struct EmbeddedSet {
    let name: String
    /// Paths relative to the set's folder, and contents.
    let files: [(name: String, content: String)]

    /// One set for each folder in `folder` that contains SQL files, by name.
    static func read(_ folder: URL) throws -> [EmbeddedSet] {
        let (files, folders) = try list(folder)
        let isSet =
            try files.contains(where: isSQL)
            || folders.contains { name in
                // A version in diesel's layout.
                try name.first?.isNumber == true && list(folder.appending(path: name)).files.contains("up.sql")
            }
        guard !isSet else {
            throw GeneratorError(message: "\(folder.path) contains migrations itself: give each set a subfolder")
        }
        let sets = try folders.map { name in
            EmbeddedSet(name: name, files: try contents(folder.appending(path: name)))
        }.filter { set in set.files.contains { isSQL($0.name) } }
        guard !sets.isEmpty else {
            throw GeneratorError(message: "\(folder.path) contains no folder with migrations")
        }
        for set in sets { try requirePlain(set.name, in: folder) }
        return sets
    }

    /// The engine takes no other name for a set. The name stands in the source, in comments too, where a line break in it
    /// would begin a line of Swift.
    private static func requirePlain(_ name: String, in folder: URL) throws {
        let isPlain =
            (1...32).contains(name.utf8.count)
            && name.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
        guard isPlain else {
            let shown = name.unicodeScalars.map { $0.escaped(asASCII: true) }.joined()
            throw GeneratorError(
                message:
                    "\(folder.path) contains migrations in the folder \(shown), which cannot be the name of a set: "
                    + "rename it to 1 to 32 of the characters a-z, 0-9 and -"
            )
        }
    }

    private static func contents(
        _ folder: URL, below path: String = ""
    ) throws -> [(name: String, content: String)] {
        let (names, folders) = try list(folder)
        var files: [(name: String, content: String)] = []
        for name in names {
            files.append((path + name, try content(of: folder.appending(path: name))))
        }
        for name in folders {
            files += try contents(folder.appending(path: name), below: "\(path)\(name)/")
        }
        return files
    }

    /// Stands for the content of a picture, a program or a large file: the engine ignores it or, where it expects text,
    /// refuses the NUL.
    private static let noText = "\0"

    /// The number of bytes up to which a file other than SQL is embedded.
    private static let largest = 65_536

    private static func content(of file: URL) throws -> String {
        let isSQL = isSQL(file.lastPathComponent)
        let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
        if !isSQL, (size ?? 0) > largest { return noText }
        let data = try Data(contentsOf: file)
        if let text = String(validating: data, as: UTF8.self) { return text }
        guard !isSQL, data.contains(0) else {
            throw GeneratorError(message: "\(file.path) is not valid UTF-8: save it as UTF-8, or move it elsewhere")
        }
        return noText
    }

    /// The visible files and folders of a folder, by name.
    private static func list(_ folder: URL) throws -> (files: [String], folders: [String]) {
        var files: [String] = []
        var folders: [String] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted(
            by: { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        where !name.hasPrefix(".") {
            let path = folder.appending(path: name).path
            let type = try FileManager.default.attributesOfItem(atPath: path)[.type]
            switch type as? FileAttributeType {
            case .typeDirectory: folders.append(name)
            case .typeRegular: files.append(name)
            default:
                throw GeneratorError(
                    message: "\(path) is neither a file nor a folder: replace it with its target")
            }
        }
        return (files, folders)
    }

    private static func isSQL(_ name: String) -> Bool { name.lowercased().hasSuffix(".sql") }
}
