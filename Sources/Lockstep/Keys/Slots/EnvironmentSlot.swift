/// A slot that an environment variable opens.
///
///     -> env <slot> <VARIABLE> <salt:16>
///
/// A variable is 1 to 128 of [A-Za-z0-9_], not beginning with a digit. The slot secret is its value's bytes.
struct EnvironmentSlot: SlotKind {
    static let type = "env"
    static let fieldCount = 2...2

    let variable: String
    let salt: [UInt8]

    var fields: [String] { [variable, Base64.encode(salt)] }
    var description: SlotDescription.Kind { .environment(variable: variable) }
    var opensWith: String { "environment variable \(variable)" }
    var requirement: LockstepError.Advice { "the environment variable \(variable)" }

    func wrap(
        _ credential: borrowing Credential, _ info: [UInt8]
    ) throws(LockstepError) -> SlotWrap? {
        guard (credential.opener as? Opener)?.variable.hasSameBytes(as: variable) == true else {
            return nil
        }
        return try SlotWrap(credential.secret, salt, info)
    }

    struct Opener: SlotOpener {
        let variable: String

        var name: String { "environment variable \(variable)" }

        func newSlot(cost _: Scrypt.Cost) throws(LockstepError) -> any SlotKind {
            guard isVariableName(variable) else {
                throw LockstepError(
                    .keyringConflict, "an environment variable cannot be named “\(variable)”",
                    hint: "use letters, digits and _, beginning with a letter or _")
            }
            return EnvironmentSlot(variable: variable, salt: try SlotHeader.newSalt())
        }
    }

    private static func isVariableName(_ text: some StringProtocol) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.enumerated().allSatisfy { index, byte in
                let scalar = Unicode.Scalar(byte)
                return ("A"..."Z").contains(scalar) || ("a"..."z").contains(scalar) || scalar == "_"
                    || (index > 0 && ("0"..."9").contains(scalar))
            }
    }
}

extension EnvironmentSlot {
    init(_ header: SlotHeader) throws(LockstepError) {
        guard Self.isVariableName(header.fields[0]) else {
            throw header.text.bad("not a valid variable name")
        }
        self.init(variable: String(header.fields[0]), salt: try header.salt(1))
    }
}

extension Credential {
    /// The value of an environment variable: at least 32 unguessable bytes. Not recommended where others can read the
    /// process's environment.
    /// - Throws: ``LockstepError/Code/secretUnsuitable`` if it is too short or too long.
    public static func environment(
        variable: String, _ value: consuming SecretBytes
    ) throws(LockstepError) -> Credential {
        try Credential(unstretched: value, EnvironmentSlot.Opener(variable: variable))
    }
}
