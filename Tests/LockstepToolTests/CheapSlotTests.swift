import SystemPackage
import TestSupport
import Testing

@testable import Lockstep

/// A passphrase slot that another program has made: cheaper to guess than any that this one makes, or with the passphrase as
/// it was typed.
@Suite("The tool and passphrase slots of other programs")
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

    /// The same at N = 2^16, with a slot that opens only with the passphrase in another form than Unicode's Normalization
    /// Form C.
    private static func filmsAsTyped() throws -> TemporaryFolder {
        let folder = try films(logN: 16)
        let typed = "scho\u{308}n, a passphrase"
        try folder.write("p", "\(typed)\n")
        let kind = PassphraseSlot(salt: try SlotHeader.newSalt(), cost: Scrypt.Cost(logN: 16, r: 8, p: 1))
        for name in ["database", "films.fields"] {
            let file = KeyringFile(folder.file("films.db.keys/\(name).keyring"))
            var keyring = try file.open { _ in try KeyFile.read(folder.file("k")) }
            let credential = Credential.passphrase(try Passphrase(Array(typed.utf8).span))
            let info = KeyringSlot.info(kind.header("person"), keyring.document.ringID)
            keyring.document.slots[0] = try KeyringSlot(
                "person", kind, kind.wrapAsTyped(credential, info), keyring.ringKey)
            try file.save(&keyring)
        }
        return folder
    }

    private static let logN = ["Cheap/cheap": 15, "Cheap/dear": 16]
    static let names = logN.keys.sorted() + ["Cheap/as-typed"]

    @Test(
        "Every command that opens a keyring with a passphrase warns once, and from 2^16 on none",
        arguments: Transcript.chosen(of: names))
    func transcript(name: String) async throws {
        let folder = try Self.logN[name].map { try Self.films(logN: $0) } ?? Self.filmsAsTyped()
        try await Transcript(name).run(in: folder)
    }
}
