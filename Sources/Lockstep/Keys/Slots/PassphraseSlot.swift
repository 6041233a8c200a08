/// A slot that a passphrase opens.
///
///     -> scrypt <slot> <salt:16> <log2 N> <r> <p>
///
/// The slot secret is scrypt(passphrase, salt), with the passphrase in Unicode's Normalization Form C (UAX #15). One that is
/// no UTF-8 is taken as it is. Slots from before took all passphrases as they are: such a slot opens, too.
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
        if let composed = try credential.secret.composed() { return try wrap(composed, info) }
        return try wrap(credential.secret, info)
    }

    func wrapAsTyped(
        _ credential: borrowing Credential, _ info: [UInt8]
    ) throws(LockstepError) -> SlotWrap? {
        try credential.isOtherAsTyped() ? wrap(credential.secret, info) : nil
    }

    private func wrap(_ secret: borrowing SecretBytes, _ info: [UInt8]) throws(LockstepError) -> SlotWrap {
        try SlotWrap(Scrypt.derive(secret.bytes, salt: salt.span, cost: cost), salt, info)
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
    /// A passphrase, stretched by scrypt. Its text is put into Unicode's Normalization Form C, so that it does not matter how
    /// a keyboard makes "é". A slot that somebody made with the text as typed opens as well.
    ///
    /// A text in another form is in ordinary memory for a moment, while it is tried.
    public static func passphrase(_ passphrase: consuming Passphrase) -> Credential {
        Credential(PassphraseSlot.Opener(), passphrase.secret)
    }

    var isPassphrase: Bool { opener is PassphraseSlot.Opener }

    /// Whether it is a passphrase that is typed in another form than slots have it.
    func isOtherAsTyped() throws(LockstepError) -> Bool {
        guard isPassphrase else { return false }
        return try secret.composed() != nil
    }
}
