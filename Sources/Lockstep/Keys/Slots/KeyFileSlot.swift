/// A slot that a key file opens.
///
///     -> keyfile <slot> <salt:16>
///
/// The slot secret is the file's bytes.
struct KeyFileSlot: SlotKind {
    static let type = "keyfile"
    static let fieldCount = 1...1

    let salt: [UInt8]

    var fields: [String] { [Base64.encode(salt)] }
    var description: SlotDescription.Kind { .keyFile }
    var opensWith: String { "key file" }
    var requirement: LockstepError.Advice { "\(.keyFile)" }

    func wrap(
        _ credential: borrowing Credential, _ info: [UInt8]
    ) throws(LockstepError) -> SlotWrap? {
        guard credential.opener is Opener else { return nil }
        return try SlotWrap(credential.secret, salt, info)
    }

    struct Opener: SlotOpener {
        var name: String { "key file" }

        func newSlot(cost _: Scrypt.Cost) throws(LockstepError) -> any SlotKind {
            KeyFileSlot(salt: try SlotHeader.newSalt())
        }
    }
}

extension KeyFileSlot {
    init(_ header: SlotHeader) throws(LockstepError) { self.init(salt: try header.salt(0)) }
}

extension Credential {
    /// The content of a key file: at least 32 unguessable bytes.
    /// - Throws: ``LockstepError/Code/secretUnsuitable`` if it is too short or too long.
    public static func keyFile(
        _ content: consuming SecretBytes
    ) throws(LockstepError) -> Credential {
        try Credential(unstretched: content, KeyFileSlot.Opener())
    }
}
