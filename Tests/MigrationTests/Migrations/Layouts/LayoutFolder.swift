import SystemPackage
import TestSupport

@testable import EngineTestSupport
@testable import Lockstep

/// A migration folder written for one test.
struct LayoutFolder {
    /// Keeps the folder until the test ends.
    let temporary: TemporaryFolder
    /// The set's folder, `set`.
    let path: FilePath

    /// Writes files at paths in the folder; the part before a `/` becomes a folder.
    init(_ files: [String: String] = [:]) throws {
        temporary = try TemporaryFolder()
        path = temporary.file("set")
        try AtomicFile.createFolder(path)
        for (name, text) in files { try write(name, Array(text.utf8)) }
    }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        var parts = name.split(separator: "/").map(String.init)
        let last = parts.removeLast()
        var folder = path
        for part in parts {
            folder = folder.appending(part)
            if !FileAccess.exists(folder) { try AtomicFile.createFolder(folder) }
        }
        try Bytes.write(bytes, to: folder.appending(last))
    }

    func set(_ layout: MigrationLayout? = nil) throws -> MigrationSet {
        try MigrationSet(folder: path, layout: layout)
    }

    /// The detected layout of a folder with these files.
    static func layout(of files: [String: String]) throws -> MigrationLayout {
        try LayoutFolder(files).set().layout
    }

    /// The error from reading these files.
    static func error(
        _ files: [String: String], _ layout: MigrationLayout? = nil
    ) throws -> LockstepError? {
        let folder = try LayoutFolder(files)
        do {
            _ = try folder.set(layout)
            return nil
        } catch let error as LockstepError {
            return error
        }
    }
}
