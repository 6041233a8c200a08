import Foundation
import SystemPackage

/// Files of this process for code that reads from a path, in a folder of its own. The script provides a place in memory
/// if there is one, and removes it at the end.
enum FuzzFile {
    static let folder: FilePath = {
        let base = ProcessInfo.processInfo.environment["LOCKSTEP_FUZZ_SCRATCH"] ?? "/tmp"
        let url = URL(filePath: base).appending(path: "fuzz-\(ProcessInfo.processInfo.processIdentifier)")
        do {
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            fatalError("there is no folder to work in: \(error)")
        }
        return FilePath(url.path)
    }()

    static func path(_ name: String) -> FilePath { folder.appending(name) }

    /// Writes a file of mode 0600, replacing any previous one.
    @discardableResult
    static func write(_ name: String, _ bytes: [UInt8]) throws -> FilePath {
        let path = path(name)
        let file = try FileDescriptor.open(
            path, .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
        defer { try? file.close() }
        _ = try file.writeAll(bytes)
        return path
    }

    static func remove(_ name: String) {
        try? FileManager.default.removeItem(atPath: path(name).string)
    }
}
