import Foundation

/// What went wrong, for the build log.
struct GeneratorError: Error, CustomStringConvertible {
    let message: String
    var description: String { message }
}

/// The files of one migration set, byte for byte.
struct EmbeddedSet {
    let name: String
    let files: [(name: String, content: String)]

    /// One set for each folder in `folder` that holds SQL files, by name.
    static func read(_ folder: URL) throws -> [EmbeddedSet] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        guard !names.contains(where: { $0.hasSuffix(".sql") }) else {
            throw GeneratorError(
                message: "\(folder.path) holds migrations itself: give each set a folder in it")
        }
        let sets = try names.compactMap { name -> EmbeddedSet? in
            let inner = folder.appending(path: name)
            guard let entries = try? FileManager.default.contentsOfDirectory(atPath: inner.path)
            else { return nil }
            let files = try entries.filter { $0.hasSuffix(".sql") }.sorted().map { file in
                let data = try Data(contentsOf: inner.appending(path: file))
                guard let content = String(validating: data, as: UTF8.self) else {
                    throw GeneratorError(message: "\(name)/\(file) is not valid UTF-8")
                }
                return (name: file, content: content)
            }
            return files.isEmpty ? nil : EmbeddedSet(name: name, files: files)
        }
        guard !sets.isEmpty else {
            throw GeneratorError(message: "\(folder.path) holds no folder with migrations")
        }
        return sets
    }
}
