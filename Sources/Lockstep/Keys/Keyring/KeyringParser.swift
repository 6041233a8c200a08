/// Parses a keyring's text strictly by the rules in KeyringDocument.swift.
struct KeyringParser {
    private var text: CanonicalText

    /// The result: the document, the bytes that its MAC covers, and the MAC in the file.
    struct Outcome {
        let document: KeyringDocument
        let authenticated: [UInt8]
        let mac: [UInt8]
    }

    /// Parses a whole file.
    /// - Throws: ``LockstepError/Code/keyringMalformed`` with the line's number, or
    ///   ``LockstepError/Code/keyringUnsupported``.
    static func parse(_ bytes: [UInt8]) throws(LockstepError) -> Outcome {
        let text = try CanonicalText(bytes, limit: KeyringDocument.largestFile) { what, line in
            KeyringDocument.malformed(what, line: line)
        }
        var parser = KeyringParser(text: text)
        return try parser.run(bytes)
    }

    private mutating func run(_ bytes: [UInt8]) throws(LockstepError) -> Outcome {
        let isSecond = try magic()
        guard isSecond || bytes.count <= KeyringDocument.largestFirstFile else {
            throw text.bad("it is larger than \(KeyringDocument.largestFirstFile / 1024) KiB")
        }
        var document = try ring()
        while let line = text.peek(), line.hasPrefix("-> ") {
            guard document.slots.count < KeyringDocument.maximumSlots else {
                throw text.bad("too many slots")
            }
            document.slots.append(try slot())
        }
        while let line = text.peek(), line.hasPrefix("key ") {
            guard document.keys.count < KeyringDocument.maximumKeys else {
                throw text.bad("too many keys")
            }
            document.keys.append(try key())
        }
        if isSecond { try records(&document) }
        if let line = text.peek(), line.hasPrefix(SignatureLine.beginning) {
            document.signature = try SignatureLine(text.take("the signature"), of: text)
        }
        let macLine = try text.take("the line with the MAC")
        let parts = text.fields(macLine)
        guard parts.count == 2, parts[0] == "---" else {
            throw text.bad("expected the line with the MAC")
        }
        let mac = try text.base64(parts[1], 32, "the MAC")
        guard text.isAtEnd else { throw text.bad("something follows the MAC") }
        try document.checkConsistency()
        try checkTotalCost(document)
        return Outcome(
            document: document, authenticated: Array(bytes.dropLast(macLine.utf8.count + 1)),
            mac: mac)
    }

    /// Limits the cost of trying a passphrase: each passphrase slot costs its N.
    private func checkTotalCost(_ document: KeyringDocument) throws(LockstepError) {
        guard document.costOfSlots() <= Scrypt.Cost.maximumTogetherBefore else {
            throw LockstepError(
                .keyringUnsupported, "the keyring's passphrase slots together cost too much to try",
                hint: "the file was not written by Lockstep, or it was changed")
        }
    }

    /// Parses the lines of format 2.
    private mutating func records(_ document: inout KeyringDocument) throws(LockstepError) {
        while let line = text.peek(), line.hasPrefix("former ") {
            let parts = text.fields(try text.take("a former ring"))
            guard parts.count == 2, document.formerRings.count < KeyringDocument.maximumFormerRings
            else {
                throw text.bad("a former ring's line has only its id, and at most 64 are allowed")
            }
            document.formerRings.append(
                try text.base64(parts[1], KeyringDocument.ringIDLength, "a former ring's id"))
        }
        while let line = text.peek(), line.hasPrefix("file ") {
            let record = try DatabaseRecord(text.take("a database"), of: text)
            try requireRoom(document.files.count)
            document.files.append(record)
        }
        while let line = text.peek(), line.hasPrefix("sealed ") {
            let record = try SealedRecord(text.take("a database"), of: text)
            try requireRoom(document.sealed.count)
            document.sealed.append(record)
        }
        guard document.needsSecondFormat else {
            throw text.bad("it names format 2 but has no line of it")
        }
    }

    private func requireRoom(_ count: Int) throws(LockstepError) {
        guard count < KeyringDocument.maximumDatabases else { throw text.bad("too many databases") }
    }

    /// Whether the file has format 2.
    private mutating func magic() throws(LockstepError) -> Bool {
        let line = try text.take("the format's name")
        if let format = KeyringDocument.magics.firstIndex(of: String(line)) { return format == 1 }
        guard line.hasPrefix("lockstep-keyring/") else { throw text.bad("it is not a keyring") }
        throw LockstepError(
            .keyringUnsupported, "the keyring has the format \(line.prefix(40))",
            hint: "use a version of Lockstep that supports this format")
    }

    private mutating func ring() throws(LockstepError) -> KeyringDocument {
        let parts = text.fields(try text.take("the ring's line"))
        guard parts.count == 8, parts[0] == "ring", parts[2] == "epoch", parts[4] == "purpose",
            let purpose = KeyringPurpose(rawValue: String(parts[5])),
            parts[6] == purpose.subjectWord
        else { throw text.bad("expected the ring's line") }
        return KeyringDocument(
            ringID: try text.base64(parts[1], 16, "the ring's identifier"),
            epoch: try text.number(parts[3], 1...KeyringDocument.maximumEpoch, "the epoch"),
            purpose: purpose,
            subjectID: try text.base64(parts[7], 16, "the subject's identifier"))
    }

    private mutating func slot() throws(LockstepError) -> KeyringSlot {
        let header = String(try text.take("a slot"))
        let parts = text.fields(Substring(header))
        guard parts.count >= 3, PlainName.isValid(parts[1]), PlainName.isValid(parts[2]),
            !parts.contains("")
        else {
            throw text.bad("a slot needs a type and a name of [a-z0-9-]")
        }
        let kind: KeyringSlot.Kind
        switch (parts[1], parts.count) {
        case ("scrypt", 7):
            kind = .scrypt(
                salt: try text.base64(parts[3], 16, "a salt"), cost: try cost(parts[4...]))
        case ("keyfile", 4):
            kind = .keyFile(salt: try text.base64(parts[3], 16, "a salt"))
        case ("env", 5):
            guard KeyringSlot.isVariableName(parts[3]) else {
                throw text.bad("not a valid variable name")
            }
            kind = .environment(
                variable: String(parts[3]), salt: try text.base64(parts[4], 16, "a salt"))
        case ("command", 4):
            kind = .command(salt: try text.base64(parts[3], 16, "a salt"))
        case ("x25519", 5):
            kind = .x25519(
                share: try text.base64(parts[3], Curve25519Key.length, "an ephemeral share"),
                tag: try text.base64(parts[4], Recipient.tagLength, "a recipient's tag"))
        case ("plugin", 7...):
            kind = try plugin(header, parts)
        case ("scrypt", _), ("keyfile", _), ("env", _), ("command", _), ("x25519", _),
            ("plugin", _):
            throw text.bad("the slot has the wrong number of fields")
        default:
            kind = .other(type: String(parts[1]))
        }
        let body = try text.take("a slot's body")
        let known = if case .other = kind { false } else { true }
        return KeyringSlot(
            header: header, name: String(parts[2]), kind: kind,
            body: try text.base64(body, known ? 80 : nil, "a slot's body"))
    }

    private func plugin(
        _ header: String, _ parts: [Substring]
    ) throws(LockstepError) -> KeyringSlot.Kind {
        guard header.utf8.count <= PluginStanza.longestHeader else {
            throw text.bad(
                "a plugin slot's header is longer than \(PluginStanza.longestHeader) bytes")
        }
        guard let name = PluginName(exactly: parts[3]) else {
            throw text.bad("a plugin's name is \(PluginName.rule)")
        }
        let body = parts[5] == "-" ? [] : try text.base64(parts[5], nil, "a stanza's body")
        guard
            let stanza = PluginStanza(
                type: String(parts[6]), arguments: parts[7...].map(String.init), body: body)
        else {
            throw text.bad("a stanza's body is longer than \(PluginStanza.longestBody) bytes")
        }
        return .plugin(
            name, salt: try text.base64(parts[4], KeyringSlot.saltLength, "a salt"),
            stanza: stanza)
    }

    /// Costs are checked before any work is done; otherwise a crafted file could exhaust the reader.
    private func cost(_ parts: ArraySlice<Substring>) throws(LockstepError) -> Scrypt.Cost {
        let start = parts.startIndex
        let logN = try text.number(parts[start], 0...63, "scrypt's N")
        let r = try text.number(parts[start + 1], 0...UInt64(UInt32.max), "scrypt's r")
        let p = try text.number(parts[start + 2], 0...UInt64(UInt32.max), "scrypt's p")
        guard Scrypt.Cost.readable.contains(Int(logN)), r == 8, p == 1 else {
            throw LockstepError(
                .keyringUnsupported,
                "line \(text.next) of the keyring asks for scrypt with N = 2^\(logN), r = \(r), p = \(p)",
                hint:
                    "only N from 2^14 to 2^20 with r = 8 and p = 1 is supported; the file was not "
                    + "written by Lockstep, or it was changed", context: .init(line: text.next))
        }
        return Scrypt.Cost(logN: Int(logN), r: Int(r), p: Int(p))
    }

    private mutating func key() throws(LockstepError) -> KeyringDocument.KeyEntry {
        let parts = text.fields(try text.take("a key"))
        guard parts.count == 7, let kind = KeyKind(rawValue: String(parts[1])) else {
            throw text.bad("expected a key of a known kind with six fields")
        }
        guard let state = KeyState(rawValue: String(parts[3])) else {
            throw text.bad("the key's state is unknown")
        }
        guard let day = CalendarDay(parts[4]) else { throw text.bad("the key's date is not valid") }
        let destroyed = parts[6] == "-"
        guard destroyed == (state == .destroyed) else {
            throw text.bad("a key must have material, and a destroyed key must have none")
        }
        return KeyringDocument.KeyEntry(
            kind: kind,
            version: UInt32(try text.number(parts[2], 1...UInt64(UInt32.max), "a version")),
            state: state, day: day, commitment: try text.base64(parts[5], 32, "a commitment"),
            wrapped: destroyed ? nil : try text.base64(parts[6], 72, "a wrapped key"))
    }
}
