import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Lockstep

/// A database at version 1 for Worker, with its migration set.
struct MigrationVictim {
    let database: DatabaseScratch
    private let scripts: [String]

    /// - Parameter scripts: The scripts of the set that the worker runs.
    init(_ database: DatabaseScratch, migratedBy scripts: [String]) throws {
        self.database = database
        self.scripts = scripts
        try writeSet()
    }

    init(copying other: MigrationVictim) throws {
        try self.init(DatabaseScratch(), migratedBy: other.scripts)
        try Bytes.write(other.database.bytes, to: database.path)
    }

    private func writeSet() throws {
        let folder = database.folder.file("test")
        try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: false)
        for (index, script) in scripts.enumerated() {
            try Bytes.write(Array(script.utf8), to: folder.appending("000\(index + 1)_step.sql"))
        }
    }

    var set: MigrationSet { get throws { try Scratch.set(scripts) } }

    /// The names in the folder, except the set's and the lock file's.
    var names: [String] {
        get throws {
            try database.names.filter { !$0.hasSuffix("-lock") && $0 != "test" && $0 != "lost" }
        }
    }

    /// Runs the worker; returns its outcome, and its calls if it survived.
    func run(
        _ action: String, _ fault: String = "kill", at call: Int = .max >> 33
    ) async throws -> FaultyWorker.Run {
        try await FaultyWorker.run(
            "migrates", action, in: database.folder.path, fault, at: call)
    }

    /// Creates the folder that a simulated loss of power needs.
    func makeLost() throws { try FaultyWorker.makeLost(in: database.folder.path) }
}
