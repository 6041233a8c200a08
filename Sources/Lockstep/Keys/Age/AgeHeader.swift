/// The header of a file for recipients, as it is read: see AgeFormat.swift.
struct AgeHeader {
    private let title: String
    /// For each recipient that is one of X25519: the ephemeral share and the wrapped file key.
    private var stanzas: [(share: [UInt8], body: [UInt8])] = []
    private var code: [UInt8] = []
    private var authenticated: [UInt8] = []
    /// Bytes up to the payload.
    private(set) var length = 0

    init(_ title: String) { self.title = title }

    func malformed(_ what: String) -> LockstepError {
        LockstepError(
            .malformedInput, "\(title) is no file for recipients, or damaged: \(what)",
            hint: "get it once more from where it comes")
    }

    /// Whether the header's last line is among these bytes; then it is taken apart.
    mutating func isComplete(_ bytes: [UInt8]) throws(LockstepError) -> Bool {
        var lines: [Substring] = []
        var start = 0
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            guard let line = String(validating: bytes[start..<end], as: UTF8.self) else {
                throw malformed("its header is no text")
            }
            lines.append(line[...])
            if line.hasPrefix("---") {
                length = end + 1
                authenticated = Array(bytes[..<(start + 3)])
                try parse(lines)
                return true
            }
            start = end + 1
        }
        guard bytes.count <= AgeFormat.longestHeader else {
            throw malformed("its header has no end")
        }
        return false
    }

    private mutating func parse(_ lines: [Substring]) throws(LockstepError) {
        guard lines.first == AgeFormat.intro[...] else {
            throw malformed("it does not begin with \(AgeFormat.intro)")
        }
        guard let last = lines.last, last.hasPrefix("--- "),
            let code = Base64.decode(last.dropFirst(4)), code.count == HashFunction.sha256.length
        else { throw malformed("its header's last line is no MAC") }
        self.code = code
        var kinds: [Substring] = []
        var next = 1
        while next < lines.count - 1 {
            let words = lines[next].split(separator: " ", omittingEmptySubsequences: false)
            guard words.count >= 2, words[0] == "->", words.allSatisfy(Self.isWord) else {
                throw malformed("line \(next + 1) of its header begins no recipient")
            }
            kinds.append(words[1])
            next += 1
            // The last line of a body is shorter than 64 characters, and may be empty, but is there.
            var body = ""
            var hasEnded = false
            while !hasEnded {
                guard next < lines.count - 1 else {
                    throw malformed("its last recipient has no end")
                }
                let line = lines[next]
                next += 1
                body += line
                guard line.utf8.count <= 64 else {
                    throw malformed("line \(next) of its header is long")
                }
                hasEnded = line.utf8.count < 64
            }
            guard let bytes = Base64.decode(body) else {
                throw malformed("the text before line \(next + 1) of its header is no base64")
            }
            // Recipients of other kinds are somebody else's.
            guard words[1] == "X25519" else { continue }
            guard words.count == 3, let share = Base64.decode(words[2]),
                share.count == Curve25519Key.length,
                bytes.count == AgeFormat.fileKeyLength + AEAD.tagLength
            else { throw malformed("a recipient of its header is not in the form that is due") }
            stanzas.append((share, bytes))
        }
        // Who knows the passphrase of such a file could otherwise not know that others read it.
        guard kinds.count <= 1 || !kinds.contains("scrypt") else {
            throw malformed("it is under a passphrase, and has other recipients besides")
        }
    }

    /// Whether it is what stands between the spaces of a recipient's line: visible characters of ASCII.
    private static func isWord(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (33...126).contains($0) }
    }

    /// - Throws: ``LockstepError/Code/slotNotOpened``, ``LockstepError/Code/tampered``.
    func fileKey(_ identity: borrowing Identity) throws(LockstepError) -> SecretBytes {
        let (own, nonce) = (identity.recipient.publicKey, AgeFormat.zeroNonce)
        for stanza in stanzas {
            let wrap = try AgeFormat.wrapKey(
                identity.secret, with: stanza.share, share: stanza.share, recipient: own)
            guard let wrap else { throw malformed("a recipient's share is a point of low order") }
            let body = stanza.body
            guard
                let fileKey = try AEAD(.chaCha20Poly1305).open(
                    body.span, key: wrap.bytes, nonce: nonce.span,
                    associatedData: Span())
            else { continue }
            let expected = try AgeFormat.headerCode(fileKey, authenticated)
            let code = code
            guard ConstantTime.equal(expected.span, code.span) else {
                throw LockstepError(
                    .tampered, "the header of \(title) was changed",
                    hint: "get it once more from where it comes")
            }
            return fileKey
        }
        throw LockstepError(
            .slotNotOpened, "\(title) was not sealed for that identity",
            hint: "give the identity of one of its recipients")
    }
}
