import Foundation
import SystemPackage
import TestSupport

/// A temporary folder with a set named `films`, in which the tool runs.
struct SetFolder {
    let folder: TemporaryFolder

    /// - Parameter files: The set's files by name.
    init(_ files: [String: String]) throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.file("films").string, withIntermediateDirectories: false)
        for (name, text) in files { try write(name, text) }
    }

    /// Writes or replaces a file of the set.
    func write(_ name: String, _ text: String) throws {
        try Bytes.write(Array(text.utf8), to: folder.file("films").appending(name))
    }

    func run(_ script: String) async throws -> ToolShell.Result {
        try await ToolShell(home: folder.path).run(script, in: folder.path)
    }
}
