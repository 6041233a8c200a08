/// A publisher's signature line over all text above it: `sig ed25519 <public key:32> <signature:64>`.
struct SignatureLine: Sendable, Hashable {
    static let beginning = "sig "
    /// Its length in bytes, with the line end.
    static let length = 143

    let publisher: Publisher
    let signature: [UInt8]

    init(publisher: Publisher, signature: [UInt8]) {
        self.publisher = publisher
        self.signature = signature
    }

    /// Parses the line that was last taken from `text`.
    init(_ line: Substring, of text: CanonicalText) throws(LockstepError) {
        let parts = text.fields(line)
        guard parts.count == 4, parts[0] == "sig", parts[1] == "ed25519" else {
            throw text.bad("the signature is malformed")
        }
        publisher = Publisher(publicKey: try text.base64(parts[2], Curve25519Key.length, "the publisher's key"))
        signature = try text.base64(parts[3], Ed25519.signatureLength, "the signature")
    }

    /// The line without its end.
    var text: String { "\(Self.beginning)ed25519 \(publisher) \(Base64.encode(signature))" }

    /// Whether it is a valid signature of these bytes. The caller must check whose key made it.
    func isOf(_ text: [UInt8]) throws(LockstepError) -> Bool {
        try Ed25519.verify(signature.span, of: text.span, under: publisher.publicKey)
    }
}
