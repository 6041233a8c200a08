import SystemPackage
import TestSupport
import Testing

@testable import Lockstep

/// A database and a keyring that remember each other.
struct BoundScratch {
    let scratch: RotationScratch

    init() throws {
        scratch = try RotationScratch()
        try scratch.fill(rows: 10, logged: 2)
        try bind()
    }

    func bind() throws {
        var keyring = try scratch.keyring()
        let connection = try Connection.open(scratch.path, key: keyring.databaseKey(for: scratch.path))
        try keyring.bind(connection, in: scratch.file)
        try connection.checkpoint(.truncate)
    }

    @discardableResult
    func open(_ path: FilePath? = nil) throws -> Connection {
        let path = path ?? scratch.path
        let connection = try Connection.open(path, key: scratch.keyring().databaseKey(for: path))
        _ = try connection.value("SELECT count(*) FROM item", as: Int.self)
        return connection
    }

    func age(_ path: FilePath? = nil) throws -> VerificationReport.Outcome {
        let report = try Verification(path ?? scratch.path, sets: []).run(keyring: scratch.keyring())
        return try #require(report.outcomes.first { $0.check == .freshness })
    }

    /// As an attacker does who has the key and none of the library's safeguards.
    func tamper(_ sql: String) throws {
        let connection = try Connection.open(scratch.path, key: scratch.keyring().databaseKey(version: 1))
        try connection.with(rights: .engine) { try connection.execute(SQL(verbatim: sql)) }
    }

    func save() throws {
        var keyring = try scratch.keyring()
        try scratch.file.save(&keyring)
    }

    func rotateRing() throws {
        var keyring = try scratch.keyring()
        try keyring.rotateRing()
        try keyring.addSlot("key-file", KeyFile.read(scratch.folder.file("my.key")))
        try scratch.file.save(&keyring)
    }
}
