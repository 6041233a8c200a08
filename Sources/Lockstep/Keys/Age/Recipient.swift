/// Whom a keyring can be issued to: an X25519 public key in age's notation, `age1…`.
///
/// It is no secret. Who has the ``Identity`` that it belongs to opens the slots that are made for it.
public struct Recipient: Sendable, Hashable, CustomStringConvertible {
    static let prefix = "age"

    let publicKey: [UInt8]

    init(publicKey: [UInt8]) { self.publicKey = publicKey }

    /// Reads a recipient as `age-keygen` and ``description`` write it.
    /// - Throws: ``LockstepError/Code/recipientMalformed``.
    public init(_ text: String) throws(LockstepError) {
        guard Self.pluginPrefix(of: text) == nil else {
            throw LockstepError(
                .recipientMalformed,
                "that is the recipient of a plugin, and plugins seal slots only",
                hint: "give a recipient of age-keygen or `lockstep keys generate-identity` here")
        }
        let bytes = Array(text.utf8)
        guard text == text.lowercased(),
            let key = try Bech32.decode(bytes.span, prefix: Self.prefix),
            key.count == Curve25519Key.length
        else {
            throw LockstepError(
                .recipientMalformed, "that is no recipient: age1 and 58 more characters are due",
                hint: "copy it anew; `lockstep keys export-recipient` prints it")
        }
        publicKey = key.publicCopy()
    }

    /// What stands in the recipient of an age plugin between `age1` and the last `1`, which Bech32 does not use in what follows.
    static func pluginPrefix(of text: String) -> Substring? {
        guard text.hasPrefix("age1"), let end = text.lastIndex(of: "1") else { return nil }
        let rest = text.dropFirst(4)
        return end > rest.startIndex ? rest[..<end] : nil
    }

    /// The recipient as text.
    public var description: String {
        // It cannot fail but for want of secure memory, and no secret depends on it.
        guard let text = try? Bech32.encode(publicKey.span, prefix: Self.prefix) else { return "" }
        return String(decoding: text.publicCopy(), as: UTF8.self)
    }

    /// What a slot says of its recipient, so that an identity knows which slots are its own: the first 8
    /// bytes of SHA-256 over the public key.
    public func tag() throws(LockstepError) -> [UInt8] {
        Array(try HashFunction.sha256.digest(publicKey.span).prefix(Self.tagLength))
    }

    static let tagLength = 8
}
