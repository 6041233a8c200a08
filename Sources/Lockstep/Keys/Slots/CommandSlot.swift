/// A slot that the output of a command opens. The reader chooses the command: see ``KeyCommand``.
///
///     -> command <slot> <salt:16>
///
/// The slot secret is the command's output.
struct CommandSlot: SlotKind {
    static let type = "command"
    static let fieldCount = 1...1

    let salt: [UInt8]

    var fields: [String] { [Base64.encode(salt)] }
    var description: SlotDescription.Kind { .command }
    var opensWith: String { "a command" }
    var requirement: LockstepError.Advice { "a command" }

    func wrap(
        _ credential: borrowing Credential, _ info: [UInt8]
    ) throws(LockstepError) -> SlotWrap? {
        guard credential.opener is Opener else { return nil }
        return try SlotWrap(credential.secret, salt, info)
    }

    struct Opener: SlotOpener {
        var name: String { "command" }

        func newSlot(cost _: Scrypt.Cost) throws(LockstepError) -> any SlotKind {
            CommandSlot(salt: try SlotHeader.newSalt())
        }
    }
}

extension CommandSlot {
    init(_ header: SlotHeader) throws(LockstepError) { self.init(salt: try header.salt(0)) }
}

extension Credential {
    /// The output of a command: see ``KeyCommand``.
    /// - Throws: ``LockstepError/Code/secretUnsuitable`` if it is too short or too long.
    public static func command(
        output: consuming SecretBytes
    ) throws(LockstepError) -> Credential {
        try Credential(unstretched: output, CommandSlot.Opener())
    }
}
