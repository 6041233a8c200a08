import Foundation
import SystemPackage
import TestSupport
import Testing

/// A file system of a few megabytes, which only root can mount.
struct SmallDisk {
    static let missing: Comment = "only root can mount a small file system, on Linux"

    static var isPossible: Bool {
        #if os(Linux)
        geteuid() == 0 && (try? SmallDisk(megabytes: 1).unmount()) != nil
        #else
        false
        #endif
    }

    private struct Failed: Error {}

    private let folder: TemporaryFolder

    var path: FilePath { folder.path }

    init(megabytes: Int) throws {
        folder = try TemporaryFolder()
        try Self.run(["mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", path.string])
    }

    /// Makes it read-only from now on.
    func makeReadOnly() throws { try Self.run(["mount", "-o", "remount,ro", path.string]) }

    func unmount() { try? Self.run(["umount", path.string]) }

    private static func run(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed() }
    }
}
