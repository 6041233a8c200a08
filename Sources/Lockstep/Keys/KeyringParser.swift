/// Reads a keyring's text by the rules in KeyringDocument.swift, and by nothing looser.
struct KeyringParser {
    private let lines: [Substring]
    private var next = 0

    /// The outcome: the document, the bytes that its MAC covers, and the MAC as it stands there.
    struct Outcome {
        let document: KeyringDocument
        let authenticated: [UInt8]
        let mac: [UInt8]
    }

    /// Parses a whole file.
    /// - Throws: ``LockstepError/Code/keyringMalformed`` with the line's number, or
    ///   ``LockstepError/Code/keyringUnsupported``.
    static func parse(_ bytes: [UInt8]) throws(LockstepError) -> Outcome {
        guard bytes.count <= KeyringDocument.largestFile else {
            throw KeyringDocument.malformed("it is larger than 256 KiB")
        }
        let newline = UInt8(ascii: "\n")
        guard bytes.last == newline else {
            throw KeyringDocument.malformed("it does not end with a line feed")
        }
        if let foreign = bytes.firstIndex(where: { $0 != newline && !(0x20...0x7E).contains($0) }) {
            let line = bytes[..<foreign].count { $0 == newline } + 1
            throw KeyringDocument.malformed(
                "it holds a byte other than printable ASCII", line: line)
        }
        var parser = KeyringParser(text: String(decoding: bytes.dropLast(), as: UTF8.self))
        return try parser.run(bytes)
    }

    private init(text: String) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    private mutating func run(_ bytes: [UInt8]) throws(LockstepError) -> Outcome {
        try magic()
        var document = try ring()
        while let line = peek(), line.hasPrefix("-> ") {
            guard document.slots.count < KeyringDocument.mostSlots else {
                throw bad("too many slots")
            }
            document.slots.append(try slot())
        }
        while let line = peek(), line.hasPrefix("key ") {
            guard document.keys.count < KeyringDocument.mostKeys else { throw bad("too many keys") }
            document.keys.append(try key())
        }
        if let line = peek(), line.hasPrefix("sig ") { document.signature = try signature() }
        let macLine = try take("the line with the MAC")
        let parts = fields(macLine)
        guard parts.count == 2, parts[0] == "---" else { throw bad("the line with the MAC is due") }
        let mac = try base64(parts[1], 32, "the MAC")
        guard next == lines.count else { throw bad("something follows the MAC") }
        try document.checkConsistency()
        try checkTotalCost(document)
        return Outcome(
            document: document, authenticated: Array(bytes.dropLast(macLine.utf8.count + 1)),
            mac: mac)
    }

    /// Each slot that a passphrase is tried on costs its N.
    private func checkTotalCost(_ document: KeyringDocument) throws(LockstepError) {
        guard document.costOfSlots() <= Scrypt.Cost.mostTogether else {
            throw LockstepError(
                .keyringUnsupported, "the keyring's passphrase slots together cost too much to try",
                hint: "the file was not written by Lockstep, or it was changed")
        }
    }

    private mutating func magic() throws(LockstepError) {
        let line = try take("the format's name")
        if line == KeyringDocument.magic { return }
        guard line.hasPrefix("lockstep-keyring/") else { throw bad("it is no keyring") }
        throw LockstepError(
            .keyringUnsupported, "the keyring is of format \(line.prefix(40))",
            hint: "use a version of Lockstep that knows this format")
    }

    private mutating func ring() throws(LockstepError) -> KeyringDocument {
        let parts = fields(try take("the ring's line"))
        guard parts.count == 8, parts[0] == "ring", parts[2] == "epoch", parts[4] == "purpose",
            let purpose = KeyringPurpose(rawValue: String(parts[5])),
            parts[6] == purpose.subjectWord
        else { throw bad("the ring's line is due") }
        return KeyringDocument(
            ringID: try base64(parts[1], 16, "the ring's identifier"),
            epoch: try number(parts[3], 1...KeyringDocument.greatestEpoch, "the epoch"),
            purpose: purpose,
            subjectID: try base64(parts[7], 16, "the subject's identifier"))
    }

    private mutating func slot() throws(LockstepError) -> KeyringDocument.Slot {
        let header = String(try take("a slot"))
        let parts = fields(Substring(header))
        guard parts.count >= 3, PlainName.isValid(parts[1]), PlainName.isValid(parts[2]),
            !parts.contains("")
        else {
            throw bad("a slot has a type and a name of [a-z0-9-]")
        }
        let kind: KeyringDocument.Slot.Kind
        switch (parts[1], parts.count) {
        case ("scrypt", 7):
            kind = .scrypt(salt: try base64(parts[3], 16, "a salt"), cost: try cost(parts[4...]))
        case ("keyfile", 4):
            kind = .keyFile(salt: try base64(parts[3], 16, "a salt"))
        case ("env", 5):
            guard Self.isVariableName(parts[3]) else { throw bad("that is no variable's name") }
            kind = .environment(
                variable: String(parts[3]), salt: try base64(parts[4], 16, "a salt"))
        case ("command", 4):
            kind = .command(salt: try base64(parts[3], 16, "a salt"))
        case ("x25519", 5):
            kind = .x25519(
                share: try base64(parts[3], Curve25519Key.length, "an ephemeral share"),
                tag: try base64(parts[4], Recipient.tagLength, "a recipient's tag"))
        case ("scrypt", _), ("keyfile", _), ("env", _), ("command", _), ("x25519", _):
            throw bad("the slot has the wrong number of fields")
        default:
            kind = .other(type: String(parts[1]))
        }
        let body = try take("a slot's body")
        let known = if case .other = kind { false } else { true }
        return KeyringDocument.Slot(
            header: header, name: String(parts[2]), kind: kind,
            body: try base64(body, known ? 80 : nil, "a slot's body"))
    }

    /// Costs are checked before any work is done, or a prepared file could exhaust the reader.
    private func cost(_ parts: ArraySlice<Substring>) throws(LockstepError) -> Scrypt.Cost {
        let start = parts.startIndex
        let logN = try number(parts[start], 0...63, "scrypt's N")
        let r = try number(parts[start + 1], 0...UInt64(UInt32.max), "scrypt's r")
        let p = try number(parts[start + 2], 0...UInt64(UInt32.max), "scrypt's p")
        guard Scrypt.Cost.readable.contains(Int(logN)), r == 8, p == 1 else {
            throw LockstepError(
                .keyringUnsupported,
                "line \(next) of the keyring asks for scrypt with N = 2^\(logN), r = \(r), p = \(p)",
                hint:
                    "N from 2^14 to 2^20 with r = 8 and p = 1 is read; the file was not written by "
                    + "Lockstep, or it was changed")
        }
        return Scrypt.Cost(logN: Int(logN), r: Int(r), p: Int(p))
    }

    private mutating func key() throws(LockstepError) -> KeyringDocument.KeyEntry {
        let parts = fields(try take("a key"))
        guard parts.count == 7, let kind = KeyKind(rawValue: String(parts[1])) else {
            throw bad("a key of a known kind with six fields is due")
        }
        guard let state = KeyState(rawValue: String(parts[3])) else {
            throw bad("the key's state is unknown")
        }
        guard let day = CalendarDay(parts[4]) else { throw bad("the key's date is no day") }
        let destroyed = parts[6] == "-"
        guard destroyed == (state == .destroyed) else {
            throw bad("a key is without material exactly when it is destroyed")
        }
        return KeyringDocument.KeyEntry(
            kind: kind, version: UInt32(try number(parts[2], 1...UInt64(UInt32.max), "a version")),
            state: state, day: day, commitment: try base64(parts[5], 32, "a commitment"),
            wrapped: destroyed ? nil : try base64(parts[6], 72, "a wrapped key"))
    }

    private mutating func signature() throws(LockstepError) -> String {
        let line = try take("the signature")
        let parts = fields(line)
        guard parts.count == 4, parts[1] == "ed25519" else {
            throw bad("the signature is malformed")
        }
        _ = try base64(parts[2], 32, "the publisher's key")
        _ = try base64(parts[3], 64, "the signature")
        return String(line)
    }

    // MARK: Pieces

    private func peek() -> Substring? { next < lines.count ? lines[next] : nil }

    private mutating func take(_ what: String) throws(LockstepError) -> Substring {
        guard next < lines.count else {
            throw KeyringDocument.malformed("it ends where \(what) is due", line: next)
        }
        next += 1
        return lines[next - 1]
    }

    private func fields(_ line: Substring) -> [Substring] {
        line.split(separator: " ", omittingEmptySubsequences: false)
    }

    private func bad(_ what: String) -> LockstepError {
        KeyringDocument.malformed(what, line: next)
    }

    private func base64(
        _ text: Substring, _ count: Int?, _ what: String
    ) throws(LockstepError) -> [UInt8] {
        guard let bytes = Base64.decode(text), !bytes.isEmpty else {
            throw bad("\(what) is not canonical base64")
        }
        if let count, bytes.count != count {
            throw bad("\(what) is \(bytes.count) bytes long, not \(count)")
        }
        return bytes
    }

    private func number(
        _ text: Substring, _ range: ClosedRange<UInt64>, _ what: String
    ) throws(LockstepError) -> UInt64 {
        guard let value = UInt64(text), String(value) == text, range.contains(value) else {
            throw bad("\(what) is no number of the allowed range")
        }
        return value
    }

    static func isVariableName(_ text: some StringProtocol) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.enumerated().allSatisfy { index, byte in
                let scalar = Unicode.Scalar(byte)
                return ("A"..."Z").contains(scalar) || ("a"..."z").contains(scalar) || scalar == "_"
                    || (index > 0 && ("0"..."9").contains(scalar))
            }
    }
}
