import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

@testable import Lockstep

/// A folder with a migration set `notes` and a key file, where the tool works on the database `n.db`.
struct NotesProject {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("k", [UInt8](repeating: 7, count: 32))
        try FileManager.default.createDirectory(atPath: folder.file("notes").string, withIntermediateDirectories: false)
    }

    /// Writes a version of the set.
    func write(_ version: Int, _ content: String) throws {
        try folder.write("notes/000\(version)_step.sql", content + "\n")
    }

    func run(_ arguments: [String]) async throws -> (code: TerminationStatus, reported: String) {
        let result = try await Subprocess.run(
            .path(Programs.path("lockstep")), arguments: Arguments(arguments + ["-d", "n.db", "--key-file", "k"]),
            workingDirectory: folder.path, output: .string(limit: 1_000_000), error: .string(limit: 100_000))
        return (result.terminationStatus, result.standardOutput + result.standardError)
    }

    func expect(
        _ code: Int32, _ arguments: [String], _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let result = try await run(arguments)
        #expect(result.code == .exited(code), "\(arguments): \(result.reported)", sourceLocation: location)
    }

    /// Opens a keyring of the project without the tool.
    func keyring(of database: String = "n") throws -> Keyring {
        try KeyringFile(folder.file("\(database).db.keys/database.keyring")).open { _ in
            try KeyFile.read(folder.file("k"))
        }
    }

    /// As an operator does, with the database's key and no check of Lockstep.
    func tamper(_ statements: SQL...) throws {
        let path = folder.file("n.db")
        let connection = try Connection.open(path, key: keyring().keyOfNew(path))
        try connection.with(rights: .engine) {
            for statement in statements { try connection.execute(statement) }
        }
    }
}
