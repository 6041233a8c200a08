import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Keyrings of this library, read by a reader that knows nothing but Keys/README.md.
@Suite(.enabled(if: PythonReader.isPresent, PythonReader.missing))
struct PythonReaderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    // A slot of each type.
    private static let ways: [(kind: String, variable: String?)] = [
        ("scrypt", nil), ("keyfile", nil), ("env", "LOCKSTEP_RING"), ("command", nil), ("x25519", nil),
    ]
    private static let passphrase = "correct horse bättery"

    private static func secret(_ kind: String) -> [UInt8] {
        switch kind {
        case "scrypt": Array(passphrase.utf8)
        case "keyfile": [UInt8](repeating: 0xA5, count: 32)
        case "command": [UInt8](repeating: 0xC3, count: 32)
        case "x25519": Array(Rings.identity.utf8)
        default: [UInt8](repeating: 0x5A, count: 32)
        }
    }

    /// A keyring with a slot of each type and keys of every state.
    private static func make(_ purpose: KeyringPurpose) throws -> Keyring {
        var ring = try Keyring.create(purpose)
        try ring.addSlot("scrypt", Rings.passphrase(passphrase), cost: Rings.cheap)
        try ring.addSlot("keyfile", Rings.keyFile())
        try ring.addSlot("env", Rings.environment("LOCKSTEP_RING"))
        try ring.addSlot("command", .command(output: Secrets.make(secret("command"))))
        try ring.addSlot("x25519", for: Identity(parsing: Secrets.make(Rings.identity)).recipient)
        let kind = purpose.kinds[0]
        for _ in 2...5 { try ring.addKey(kind, state: .pending) }
        let day = try Rings.day("2024-02-29")
        try ring.setState(kind, version: 2, to: .active, today: day)
        try ring.setState(kind, version: 3, to: .compromised, today: day)
        try ring.setState(kind, version: 4, to: .destroyed, today: day)
        return ring
    }

    @Test("It finds the same keys as this library", arguments: KeyringPurpose.allCases)
    func sameKeys(_ purpose: KeyringPurpose) throws {
        let file = KeyringFile(folder.file("\(purpose.rawValue).keyring"))
        var ring = try Self.make(purpose)
        try file.create(ring)
        for epoch in [UInt64(1), 2] {
            for way in Self.ways {
                let read = try PythonReader.read(
                    file.path, way.kind, variable: way.variable, secret: Self.secret(way.kind))
                let expected = try PythonReader.Contents(ring, opened: way.kind)
                #expect(read == expected)
                #expect(read.epoch == epoch)
                #expect(read.keys.compactMap(\.sha256).count == read.keys.count - 1)
            }
            try ring.addKey(purpose.kinds[0], state: .pending)
            try file.save(&ring)
        }
    }

    @Test("It opens a slot with any form of the passphrase's text, and one from before as it was typed")
    func forms() throws {
        let (composed, decomposed) = ("sch\u{F6}n", "scho\u{308}n")
        var ring = try Self.make(.database)
        try ring.changeSlot("scrypt", to: Rings.passphrase(decomposed), cost: Rings.cheap)
        let file = KeyringFile(folder.file("new.keyring"))
        try file.create(ring)
        for typed in [composed, decomposed] {
            _ = try PythonReader.read(file.path, "scrypt", secret: Array(typed.utf8))
        }
        let kind = PassphraseSlot(salt: try SlotHeader.newSalt(), cost: Rings.cheap)
        let info = KeyringSlot.info(kind.header("scrypt"), ring.document.ringID)
        let wrap = try kind.wrapAsTyped(Rings.passphrase(decomposed), info)
        ring.document.slots[0] = try KeyringSlot("scrypt", kind, wrap, ring.ringKey)
        let former = KeyringFile(folder.file("former.keyring"))
        try former.create(ring)
        _ = try PythonReader.read(former.path, "scrypt", secret: Array(decomposed.utf8))
    }

    @Test("It finds what a keyring remembers of rings and databases")
    func records() throws {
        for purpose in KeyringPurpose.allCases {
            let file = KeyringFile(folder.file("\(purpose.rawValue).remembering.keyring"))
            var ring = try Self.make(purpose)
            try ring.rotateRing()
            try ring.addSlot("keyfile", Rings.keyFile())
            for number in UInt8(1)...3 {
                let id = [UInt8](repeating: number &* 77, count: 16)
                switch purpose {
                case .database:
                    var file = Records.file(id, number)
                    // One of them is under a key that the keyring has.
                    if number == 2 { file.keyVersion = 1 }
                    try ring.list(file)
                case .fields: try ring.remember(Records.sealed(id, changes: UInt64(number - 1)))
                }
            }
            try file.create(ring)
            let read = try PythonReader.read(
                file.path, "keyfile", secret: Self.secret("keyfile"))
            #expect(try read == PythonReader.Contents(ring, opened: "keyfile"))
            #expect(read.format == 4 && read.own.isEmpty == (purpose != .database))
            #expect(read.former.count == 1)
            #expect(read.files.count + read.sealed.count == 3)
        }
    }

    @Test("It reads a keyring that was issued, and finds its publisher")
    func issued() throws {
        let publisher = try Self.make(.fields)
        let identity = try Identity(parsing: Secrets.make(Rings.identity))
        let file = KeyringFile(folder.file("customer.keyring"))
        try file.create(publisher.issue(to: identity.recipient), signedBy: publisher)
        let ring = try file.open { _ in try .identity(identity) }
        var expected = try PythonReader.Contents(ring, opened: "reader")
        expected.publisher = Hex.encode(try publisher.publisher().publicKey)
        let read = try PythonReader.read(file.path, "x25519", secret: Self.secret("x25519"))
        #expect(read == expected)
        #expect(Set(read.keys.map(\.kind)) == ["field", "index"])
    }

    @Test("It refuses anything that was changed, and the wrong secret")
    func refusals() throws {
        let ring = try Self.make(.database)
        let text = try ring.encode(epoch: 1)
        let script = PythonReader.folder.appending("read_keyring.py").string
        func complaint(_ text: [UInt8], _ secret: [UInt8]) throws -> String {
            let path = try folder.write("text", text)
            let outcome = try PythonReader.run([script, path.string, "keyfile"], secret: secret)
            #expect(outcome.output == [])
            #expect(outcome.status == 1)
            return String(outcome.complaint.prefix { $0 != ":" })
        }
        let secret = Self.secret("keyfile")
        #expect(try complaint(text, Array(secret.dropLast())) == "slot-not-opened")
        #expect(try complaint(Array(text.dropLast()), secret) == "keyring-malformed")
        var lines = Rings.lines(text)
        lines[1] = lines[1].replacing("epoch 1", with: "epoch 2")
        #expect(try complaint(Rings.joined(lines), secret) == "keyring-tampered")
    }

    @Test("It judges every malformed keyring as expected, and the files are what the script makes")
    func malformed() throws {
        let outcome = try PythonReader.run([PythonReader.folder.appending("make_malformed.py").string, "--check"])
        #expect(outcome.status == 0, "\(outcome.complaint)")
    }

    @Test("The examples in Keys are what the script makes")
    func example() throws {
        let outcome = try PythonReader.run([
            PythonReader.folder.appending("make_example.py").string, "--check",
            Programs.package.appending("Keys").string,
        ])
        #expect(outcome.status == 0, "\(outcome.complaint)")
    }
}
