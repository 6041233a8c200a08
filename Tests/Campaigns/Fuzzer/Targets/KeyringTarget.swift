@testable import Lockstep

/// Keyrings: each has one spelling, and the content that a slot opens is refused or proven.
final class KeyringTarget: FuzzTarget {
    static let name = "keyring"
    static let refusals: Set<LockstepError.Code> = [.keyringMalformed, .keyringUnsupported]
    private static let refusalsOfOpening = refusals.union([.keyringTampered, .slotNotOpened, .noUsableSlot])

    static func seeds() throws -> [String: [UInt8]] {
        var database = try Keyring.create(.database)
        try database.addSlot("file", FuzzKeys.credential())
        var seeds = ["database": try database.encode(epoch: 1)]
        var fields = try Keyring.create(.fields)
        try fields.addSlot("file", FuzzKeys.credential())
        try fields.addSlot("server", .environment(variable: "KEY", FuzzKeys.secret(0x5A)))
        seeds["fields"] = try fields.encode(epoch: 2)
        seeds["signed"] = try fields.encode(epoch: 3, signer: fields.signingKey())
        try database.addSlot(
            "words", .passphrase(Passphrase(FuzzKeys.secret(0x61, 12))), cost: Scrypt.Cost(logN: 14, r: 8, p: 1))
        seeds["slots"] = try database.encode(epoch: 4)
        seeds["records"] = try remembering()
        seeds["files"] = try recording()
        return seeds
    }

    /// A keyring with records, with an invalid MAC.
    private static func remembering() throws -> [UInt8] {
        var ring = try Keyring.create(.fields)
        try ring.addSlot("file", FuzzKeys.credential())
        var document = try KeyringParser.parse(ring.encode(epoch: 7)).document
        document.format = .fourth
        document.formerRings = [FuzzKeys.dataset]
        document.sealed = [
            SealedRecord(
                database: FuzzKeys.dataset, changes: 3, code: [UInt8](repeating: 7, count: 32),
                columns: [
                    SealedRecord.Column("films", "title"),
                    SealedRecord.Column(
                        "films", "né",
                        SealedRecord.Definition(
                            number: 2, identity: FuzzKeys.dataset, mode: "random", padding: 64,
                            state: "sealed", rowKey: "row id",
                            indexes: [
                                SealedRecord.Index(
                                    number: 1, name: "né_exact_token", normaliser: "exact", bits: 24, keyVersion: 1)
                            ])),
                ])
        ]
        return document.text(mac: [UInt8](repeating: 0, count: 32))
    }

    /// The same of a database keyring.
    private static func recording() throws -> [UInt8] {
        var ring = try Keyring.create(.database)
        try ring.addSlot("file", FuzzKeys.credential())
        var document = try KeyringParser.parse(ring.encode(epoch: 7)).document
        document.format = .fourth
        let own = [UInt8](repeating: 9, count: 16)
        document.files = [
            DatabaseRecord(database: FuzzKeys.dataset, keyVersion: 1, salt: own, seen: 3, path: "../films.db"),
            DatabaseRecord(database: [UInt8](repeating: 255, count: 16), keyVersion: 1, origin: FuzzKeys.dataset),
        ]
        return document.text(mac: [UInt8](repeating: 0, count: 32))
    }

    func run(_ input: [UInt8]) throws {
        let parsed = try KeyringParser.parse(input)
        let document = parsed.document
        require(document.text(mac: parsed.mac) == input, "a keyring has another spelling")
        require(parsed.authenticated == document.textAboveMAC(), "what the MAC covers is not what was read")
        for slot in document.slots { _ = slot.description }
        _ = outcome(Self.refusalsOfOpening) {
            let ring = try Keyring.open(input) { slot in
                slot.kind == .keyFile ? try FuzzKeys.credential() : nil
            }
            require(ring.epoch == document.epoch, "a keyring opens as another one")
        }
    }
}
