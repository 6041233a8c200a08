/// Someone who can receive a keyring: an X25519 public key in age's notation, `age1…`.
///
/// It is not a secret. Anyone who has its ``Identity`` can open the slots that are made for it.
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
                "plugin recipients are supported only for keyring slots",
                advice: "give a recipient from age-keygen or \(.generateIdentity) here")
        }
        let bytes = Array(text.utf8)
        guard text.utf8.allSatisfy({ !$0.isASCIIUppercase }),
            let key = try Bech32.decode(bytes.span, prefix: Self.prefix), key.count == Curve25519Key.length
        else {
            throw LockstepError(
                .recipientMalformed, "not a valid recipient: expected `age1` followed by 58 characters",
                advice: "copy it again; \(.exportRecipient) prints it")
        }
        publicKey = key.publicCopy()
    }

    /// The part of an age plugin's recipient between `age1` and the last `1`. Bech32 data does not contain `1`.
    static func pluginPrefix(of text: String) -> Substring? {
        guard let rest = text.rest(after: "age1"), let end = text.lastIndex(of: "1") else {
            return nil
        }
        return end > rest.startIndex ? rest[..<end] : nil
    }

    /// The recipient as text.
    public var description: String {
        // This fails only when secure memory is exhausted, and no secret depends on it.
        guard let text = try? Bech32.encode(publicKey.span, prefix: Self.prefix) else { return "" }
        return String(decoding: text.publicCopy(), as: UTF8.self)
    }

    /// Identifies a slot's recipient, so that an identity can find its own slots: the first 8 bytes of SHA-256 over
    /// the public key.
    /// - Throws: ``LockstepError/Code/cryptographyFailed``.
    public func tag() throws(LockstepError) -> [UInt8] {
        Array(try HashFunction.sha256.digest(publicKey.span).prefix(Self.tagLength))
    }

    static let tagLength = 8
}
