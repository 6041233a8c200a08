import Foundation
import SystemPackage
import TestSupport

@testable import Lockstep

/// A copy of the database under Tests/Harness/BindingOne, which an earlier build made.
struct BindingOneFixture {
    let folder: TemporaryFolder
    let set: MigrationSet

    private static let source = Programs.package.appending("Tests/Harness/BindingOne")

    /// The values of the sealed columns, by the row's key.
    static let rows = ["1|SECRETssn1|AT|ann@example.org|SECRETstream", "2|SECRETssn2|CH|bob@example.org|", "3||AT||"]

    init() throws {
        folder = try TemporaryFolder()
        let set = folder.path.appending("set")
        try FileManager.default.createDirectory(atPath: set.string, withIntermediateDirectories: true)
        try Bytes.write(Bytes.read(Self.source.appending("0001_person.sql")), to: set.appending("0001_person.sql"))
        self.set = try MigrationSet(folder: set)
        let keys = folder.path.appending("Keys")
        try FileManager.default.createDirectory(
            atPath: keys.string, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        let files = [
            ("people.db", try Self.decoded("people.db.base64")),
            ("Keys/people.database.keyring", try Bytes.read(Self.source.appending("database-keyring.txt"))),
            ("Keys/people.fields.keyring", try Bytes.read(Self.source.appending("fields-keyring.txt"))),
        ]
        for (name, bytes) in files {
            let path = folder.path.appending(name)
            try Bytes.write(bytes, to: path)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path.string)
        }
    }

    private static func decoded(_ name: String) throws -> [UInt8] {
        let text = try Bytes.read(source.appending(name))
        let data = Data(base64Encoded: Data(text), options: .ignoreUnknownCharacters)
        return [UInt8](data ?? Data())
    }

    var path: FilePath { folder.path.appending("people.db") }
    var databaseFile: KeyringFile {
        KeyringFile(folder.path.appending("Keys/people.database.keyring"))
    }
    var fieldsFile: KeyringFile { KeyringFile(folder.path.appending("Keys/people.fields.keyring")) }

    func database() throws -> Keyring { try Self.open(databaseFile) }

    func fields() throws -> Keyring { try Self.open(fieldsFile) }

    private static func open(_ file: KeyringFile) throws -> Keyring {
        let secret = try decoded("key-file.base64")
        return try file.open { _ in try Credential.keyFile(SecretBytes(copying: secret.span)) }
    }

    /// Opens the database with its sealed columns.
    func connection() throws -> Connection {
        var options = ConnectionOptions()
        options.fieldKeys = [try fields().fieldKeys()]
        return try Connection.open(path, key: database().databaseKey(for: path), options: options)
    }

    func verify() throws -> VerificationReport {
        var verification = Verification(path, sets: [set])
        verification.keyringFile = databaseFile.path
        verification.fieldKeys = [try fields().fieldKeys()]
        return try verification.run(keyring: database())
    }

    /// The values that a connection reads, as in ``rows``.
    static func rows(_ connection: borrowing Connection) throws -> [String?] {
        try connection.texts(
            """
            SELECT id || '|' || coalesce(ssn, '') || '|' || country || '|' || coalesce(email, '')
                || '|' || coalesce(CAST(photo AS TEXT), '') FROM person_open ORDER BY id
            """)
    }
}
