import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

@testable import Lockstep

/// The operator gives a file another identity of which nothing is remembered, and removes its registry.
@Suite("The tool and a file with another identity")
struct OtherIdentityTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("k", [UInt8](repeating: 7, count: 32))
        try FileManager.default.createDirectory(
            atPath: folder.file("notes").string, withIntermediateDirectories: false)
        try folder.write(
            "notes/0001_note.sql",
            "-- lockstep: up\nCREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT);\n")
    }

    private func tool(_ arguments: [String]) async throws -> (
        code: TerminationStatus, reported: String
    ) {
        let result = try await Subprocess.run(
            .path(Programs.path("lockstep")),
            arguments: Arguments(arguments + ["-d", "n.db", "--key-file", "k"]),
            workingDirectory: folder.path, output: .string(limit: 1_000_000),
            error: .string(limit: 100_000))
        return (result.terminationStatus, result.standardOutput + result.standardError)
    }

    private func expect(
        _ code: Int32, _ arguments: [String], _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let result = try await tool(arguments)
        #expect(
            result.code == .exited(code), "\(arguments): \(result.reported)",
            sourceLocation: location)
    }

    /// As an operator does, with the database's key and no check of Lockstep.
    private func tamper(_ statements: [String]) throws {
        let keyring = try KeyringFile(folder.file("Keys/n.database.keyring")).open { _ in
            try KeyFile.read(folder.file("k"))
        }
        let connection = try Connection.open(
            folder.file("n.db"), key: keyring.databaseKey(version: 1))
        try connection.with(rights: .engine) {
            for statement in statements { try connection.execute(SQL(verbatim: statement)) }
        }
    }

    @Test("No command takes it for a first time, with a fields keyring and without")
    func laundered() async throws {
        let (set, fields) = (["-m", "notes"], ["--fields", "notes"])
        try await expect(0, ["init", "--dataset", "notes"])
        try await expect(0, ["migrate"] + set + fields)
        try await expect(0, ["seal", "note.title"] + fields)
        try await expect(0, ["verify"] + set + fields)
        try tamper([
            "UPDATE lockstep_keyring SET database = randomblob(16) WHERE database NOT NULL",
            "DELETE FROM lockstep_dataset", "DELETE FROM lockstep_column",
        ])
        let fieldsKeyring = try Bytes.read(folder.file("Keys/notes.fields.keyring"))
        let keyring = try Bytes.read(folder.file("Keys/n.database.keyring"))
        for given in [fields, []] {
            for command in [
                ["migrate"] + set, ["migrate", "--first-time"] + set, ["rollback"] + set,
                ["redo"] + set, ["baseline", "--at", "1"] + set, ["status"] + set, ["verify"] + set,
                ["query", "SELECT 1"],
            ] {
                try await expect(65, command + given)
            }
        }
        try await expect(65, ["seal", "note.title", "--first-time"] + fields)
        try await expect(65, ["keys", "accept-database", "--i-understand"])
        #expect(try Bytes.read(folder.file("Keys/notes.fields.keyring")) == fieldsKeyring)
        #expect(try Bytes.read(folder.file("Keys/n.database.keyring")) == keyring)
    }

    @Test("A database that its keyring does not record opens once a person has recorded it")
    func accepted() async throws {
        try await expect(0, ["init"])
        try tamper(["UPDATE lockstep_keyring SET database = randomblob(16) WHERE database NOT NULL"]
        )
        let refusal = try await tool(["query", "SELECT 1"])
        #expect(refusal.reported.contains("`lockstep keys accept-database --new`"))
        try await expect(0, ["keys", "accept-database", "--new", "--i-understand"])
        try await expect(0, ["query", "SELECT 1"])
        try await expect(0, ["migrate", "-m", "notes"])
        try await expect(0, ["verify", "-m", "notes"])
    }
}
