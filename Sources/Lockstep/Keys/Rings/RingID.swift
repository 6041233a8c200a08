/// The name of a keyring's ring: 16 random bytes that it gets when it is made, and again when its ring key is
/// replaced. It is no secret.
///
/// A keyring that opens with a passphrase or a key file was made by somebody who knows that. One that opens for a
/// recipient can have been made by anybody, because a recipient is public: only its ring says whether it is the right
/// one. So a program can name the ring that it expects, as `lockstep init` and `lockstep keys list` print it.
public struct RingID: Sendable, Hashable, CustomStringConvertible {
    static let prefix = "ring-"

    /// Its 16 bytes.
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Parses `ring-` and 32 hexadecimal digits; nil for any other text.
    public init?(_ text: some StringProtocol) {
        guard let digits = String(text).rest(after: Self.prefix), let bytes = Hex.decode(digits),
            bytes.count == KeyringDocument.ringIDLength
        else { return nil }
        self.bytes = bytes
    }

    /// `ring-` and 32 hexadecimal digits.
    public var description: String { Self.prefix + Hex.encode(bytes) }
}

extension Keyring {
    /// Its ring, which its MAC proves.
    public var ring: RingID { RingID(document.ringID) }

    /// Checks that the keyring has one of these rings.
    /// - Throws: ``LockstepError/Code/otherRing``.
    package borrowing func require(_ rings: [RingID]) throws(LockstepError) {
        guard !rings.contains(ring) else { return }
        let due = rings.map(\.description).joined(separator: ", ")
        throw LockstepError(
            .otherRing, "the keyring\(file.map { " \($0.path)" } ?? "") has \(ring), and not \(due)",
            hint: """
                somebody made another keyring in its place: put the right one back; if its ring key was replaced, find \
                out its ring from who did that
                """, context: file.map { .file($0.path) } ?? .init())
    }
}

extension LockstepError.Code {
    /// A keyring has another ring than the one that is expected of it, or that was seen at its place.
    public static let otherRing = Self("other-ring")
}
