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
        let format = try magic()
        guard bytes.count <= format.largestFile else {
            throw text.bad("it is larger than \(format.largestFile / 1024) KiB")
        }
        var document = try ring()
        document.format = format
        while let line = text.peek(), line.begins(with: "-> ") {
            guard document.slots.count < KeyringDocument.maximumSlots else {
                throw text.bad("too many slots")
            }
            document.slots.append(try KeyringSlot(from: &text))
        }
        while let line = text.peek(), line.begins(with: "key ") {
            guard document.keys.count < KeyringDocument.maximumKeys else {
                throw text.bad("too many keys")
            }
            document.keys.append(try key())
        }
        if format > .first { try records(&document) }
        if let line = text.peek(), line.begins(with: SignatureLine.beginning) {
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
        return Outcome(document: document, authenticated: Array(bytes.dropLast(macLine.utf8.count + 1)), mac: mac)
    }

    /// Limits the cost of trying a passphrase: each passphrase slot costs its N.
    private func checkTotalCost(_ document: KeyringDocument) throws(LockstepError) {
        guard document.costOfSlots() <= Scrypt.Cost.maximumTogetherBefore else {
            throw LockstepError(
                .keyringUnsupported, "the keyring's passphrase slots together cost too much to try",
                hint: "the file was not written by Lockstep, or it was changed")
        }
    }

    /// Parses the lines that format 4 has and format 1 has not.
    private mutating func records(_ document: inout KeyringDocument) throws(LockstepError) {
        while let line = text.peek(), line.begins(with: "former ") {
            let parts = text.fields(try text.take("a former ring"))
            guard parts.count == 2, document.formerRings.count < KeyringDocument.maximumFormerRings else {
                throw text.bad("a former ring's line has only its id, and at most 64 are allowed")
            }
            document.formerRings.append(try text.base64(parts[1], KeyringDocument.ringIDLength, "a former ring's id"))
        }
        while let line = text.peek(), line.begins(with: "file ") {
            let record = try DatabaseRecord(text.take("a database"), of: text)
            try requireRoom(document.files.count)
            document.files.append(record)
        }
        while let line = text.peek(), line.begins(with: "sealed ") {
            let record = try SealedRecord(from: &text)
            try requireRoom(document.sealed.count)
            document.sealed.append(record)
        }
        guard document.hasRecords else {
            throw text.bad("it names format \(document.format.rawValue) but has no line of it")
        }
    }

    private func requireRoom(_ count: Int) throws(LockstepError) {
        guard count < KeyringDocument.maximumDatabases else { throw text.bad("too many databases") }
    }

    /// The file's format.
    private mutating func magic() throws(LockstepError) -> KeyringDocument.Format {
        let line = try text.take("the format's name")
        if let format = KeyringDocument.Format.allCases.first(where: { $0.magic == line }) {
            return format
        }
        guard line.begins(with: "lockstep-keyring/") else { throw text.bad("it is not a keyring") }
        throw LockstepError(
            .keyringUnsupported, "the keyring has the format \(line.prefix(40))",
            hint: "use a version of Lockstep that supports this format")
    }

    private mutating func ring() throws(LockstepError) -> KeyringDocument {
        let parts = text.fields(try text.take("the ring's line"))
        guard parts.count == 8, parts[0] == "ring", parts[2] == "epoch", parts[4] == "purpose",
            let purpose = KeyringPurpose(rawValue: String(parts[5])), parts[6] == purpose.subjectWord
        else { throw text.bad("expected the ring's line") }
        return KeyringDocument(
            ringID: try text.base64(parts[1], 16, "the ring's identifier"),
            epoch: try text.number(parts[3], 1...KeyringDocument.maximumEpoch, "the epoch"),
            purpose: purpose,
            subjectID: try text.base64(parts[7], 16, "the subject's identifier"))
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
            kind: kind, version: UInt32(try text.number(parts[2], 1...UInt64(UInt32.max), "a version")), state: state,
            day: day, commitment: try text.base64(parts[5], 32, "a commitment"),
            wrapped: destroyed ? nil : try text.base64(parts[6], 72, "a wrapped key"))
    }
}
