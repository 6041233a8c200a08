/// Reads the header of a file for recipients: see AgeFormat.swift.
struct AgeHeader {
    private let title: String
    /// The ephemeral share and the wrapped file key of each X25519 recipient.
    private var stanzas: [(share: [UInt8], body: [UInt8])] = []
    private var code: [UInt8] = []
    private var authenticated: [UInt8] = []
    /// The number of bytes before the payload.
    private(set) var length = 0

    init(_ title: String) { self.title = title }

    func malformed(_ what: String) -> LockstepError {
        LockstepError(
            .malformedInput, "\(title) is not a file for recipients or is damaged: \(what)",
            hint: "get a new copy from its source", context: .init(file: title))
    }

    /// Whether these bytes contain the header's last line. If they do, the header is parsed.
    mutating func isComplete(_ bytes: [UInt8]) throws(LockstepError) -> Bool {
        var lines: [Substring] = []
        var start = 0
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            guard let line = String(validating: bytes[start..<end], as: UTF8.self) else {
                throw malformed("its header is not text")
            }
            lines.append(line[...])
            if line.begins(with: "---") {
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
        guard let last = lines.last?.rest(after: "--- "),
            let code = Base64.decode(last), code.count == HashFunction.sha256.length
        else { throw malformed("its header's last line is not a MAC") }
        self.code = code
        var kinds: [Substring] = []
        var next = 1
        while next < lines.count - 1 {
            let words = lines[next].pieces(between: " ")
            guard words.count >= 2, words[0] == "->", words.allSatisfy(Self.isWord) else {
                throw malformed("line \(next + 1) of its header does not begin a recipient")
            }
            kinds.append(words[1])
            next += 1
            // The last line of a body is always present and shorter than 64 characters, possibly empty.
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
                    throw malformed("line \(next) of its header is too long")
                }
                hasEnded = line.utf8.count < 64
            }
            guard let bytes = Base64.decode(body) else {
                throw malformed("the text before line \(next + 1) of its header is not base64")
            }
            // Other types of recipients cannot be for an X25519 identity.
            guard words[1] == "X25519" else { continue }
            guard words.count == 3, let share = Base64.decode(words[2]), share.count == Curve25519Key.length,
                bytes.count == AgeFormat.fileKeyLength + AEAD.tagLength
            else { throw malformed("a recipient in its header is malformed") }
            stanzas.append((share, bytes))
        }
        // Otherwise a user of the passphrase could not know that others can read the file.
        guard kinds.count <= 1 || !kinds.contains("scrypt") else {
            throw malformed("it has a passphrase and other recipients")
        }
    }

    /// Whether `text` can stand between the spaces of a recipient's line: visible ASCII characters.
    private static func isWord(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (33...126).contains($0) }
    }

    /// - Throws: ``LockstepError/Code/slotNotOpened``, ``LockstepError/Code/tampered``.
    func fileKey(_ identity: borrowing Identity) throws(LockstepError) -> SecretBytes {
        let (own, nonce) = (identity.recipient.publicKey, AgeFormat.zeroNonce)
        for stanza in stanzas {
            let wrap = try AgeFormat.wrapKey(identity.secret, with: stanza.share, share: stanza.share, recipient: own)
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
                    hint: "get a new copy from its source", context: .init(file: title))
            }
            return fileKey
        }
        throw LockstepError(
            .slotNotOpened, "\(title) was not sealed for this identity",
            hint: "give the identity of one of its recipients", context: .init(file: title))
    }
}
