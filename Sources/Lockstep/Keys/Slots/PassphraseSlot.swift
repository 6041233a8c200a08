/// A slot that a passphrase opens.
///
///     -> scrypt <slot> <salt:16> <log2 N> <r> <p>
///
/// The slot secret is scrypt(passphrase, salt).
struct PassphraseSlot: SlotKind {
    static let type = "scrypt"
    static let fieldCount = 4...4

    let salt: [UInt8]
    let cost: Scrypt.Cost

    var fields: [String] { [Base64.encode(salt), "\(cost.logN)", "\(cost.r)", "\(cost.p)"] }
    var description: SlotDescription.Kind { .passphrase(logN: cost.logN) }
    var opensWith: String { "passphrase, scrypt with N = 2^\(cost.logN)" }
    var requirement: LockstepError.Advice { "\(.passphrase)" }
    var passphraseCost: Int { cost.n }

    func wrap(
        _ credential: borrowing Credential, _ info: [UInt8]
    ) throws(LockstepError) -> SlotWrap? {
        guard credential.isPassphrase else { return nil }
        let stretched = try Scrypt.derive(credential.secret.bytes, salt: salt.span, cost: cost)
        return try SlotWrap(stretched, salt, info)
    }

    struct Opener: SlotOpener {
        var name: String { "passphrase" }

        func newSlot(cost: Scrypt.Cost) throws(LockstepError) -> any SlotKind {
            PassphraseSlot(salt: try SlotHeader.newSalt(), cost: cost)
        }
    }
}

extension PassphraseSlot {
    /// Costs are checked before any work is done; otherwise a crafted file could exhaust the reader.
    init(_ header: SlotHeader) throws(LockstepError) {
        let (fields, text) = (header.fields, header.text)
        let salt = try header.salt(0)
        let logN = try text.number(fields[1], 0...63, "scrypt's N")
        let r = try text.number(fields[2], 0...UInt64(UInt32.max), "scrypt's r")
        let p = try text.number(fields[3], 0...UInt64(UInt32.max), "scrypt's p")
        guard Scrypt.Cost.readable.contains(Int(logN)), r == 8, p == 1 else {
            throw LockstepError(
                .keyringUnsupported,
                "line \(text.next) of the keyring asks for scrypt with N = 2^\(logN), r = \(r), p = \(p)",
                hint:
                    "only N from 2^14 to 2^20 with r = 8 and p = 1 is supported; the file was not "
                    + "written by Lockstep, or it was changed", context: .init(line: text.next))
        }
        self.init(salt: salt, cost: Scrypt.Cost(logN: Int(logN), r: Int(r), p: Int(p)))
    }
}

extension Credential {
    /// A passphrase, stretched by scrypt.
    public static func passphrase(_ passphrase: consuming Passphrase) -> Credential {
        Credential(PassphraseSlot.Opener(), passphrase.secret)
    }

    var isPassphrase: Bool { opener is PassphraseSlot.Opener }
}
