import SystemPackage
import TestSupport
import Testing

@testable import Lockstep

/// A passphrase slot that another program has made cheaper to guess than any that this one makes.
@Suite("The tool and cheap passphrase slots")
struct CheapSlotTests {
    /// A folder with the keyring of films.db, which opens with the passphrase in the file `p` at N = 2^`logN`, or
    /// with the key file `k`.
    private static func films(logN: Int) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try KeyFile.create(folder.file("k"))
        try folder.write("p", "a passphrase\n")
        for (purpose, name) in [
            (KeyringPurpose.database, "database"), (.fields, "films.fields"),
        ] {
            var keyring = try Keyring.create(purpose)
            let passphrase = Array("a passphrase".utf8)
            try keyring.addSlot(
                "person", .passphrase(Passphrase(SecretBytes(copying: passphrase.span))),
                cost: Scrypt.Cost(logN: logN, r: 8, p: 1))
            try keyring.addSlot("file", KeyFile.read(folder.file("k")))
            try KeyringFile(folder.file("films.db.keys/\(name).keyring")).create(keyring)
            if purpose == .database {
                _ = try Connection.create(folder.file("films.db"), key: keyring.activeDatabaseKey())
            }
        }
        return folder
    }

    private static let logN = ["Cheap/cheap": 15, "Cheap/dear": 16]
    static let names = logN.keys.sorted()

    @Test(
        "Every command that opens a keyring with a passphrase warns once, and from 2^16 on none",
        arguments: Transcript.chosen(of: names))
    func transcript(name: String) async throws {
        let logN = try #require(Self.logN[name])
        try await Transcript(name).run(in: Self.films(logN: logN))
    }
}
