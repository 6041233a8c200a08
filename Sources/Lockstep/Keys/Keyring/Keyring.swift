internal import SystemPackage

/// An open keyring: its ring key is known and its MAC is verified.
///
/// Changes stay in memory until ``KeyringFile/save(_:)`` writes them.
public struct Keyring: ~Copyable, Sendable {
    var document: KeyringDocument
    private(set) var ringKey: SecretBytes
    /// The ring id in the file; differs from the document's while a ring key change is not yet saved.
    private(set) var writtenRingID: [UInt8]
    /// The earlier ring ids of the file, as far as this value has written them.
    private(set) var formerRings: [[UInt8]] = []
    /// The keyring's file, in its folder without symbolic links; nil for a keyring that is not from a file.
    var file: KeyringFile?
    /// Whether its slot opened only with a passphrase as typed, and not in Unicode's Normalization Form C, because another
    /// program or an earlier build made the slot. On a keyboard that makes "é" in another way the passphrase does not open
    /// it: ``changeSlot(_:to:cost:)`` makes it again.
    public internal(set) var wasOpenedAsTyped = false
    /// The folder of that file.
    var folder: FilePath? { file?.folder }

    init(document: KeyringDocument, ringKey: consuming SecretBytes) {
        self.document = document
        self.ringKey = ringKey
        writtenRingID = document.ringID
    }

    // MARK: Making and opening

    /// Makes a keyring with a new ring key and one active key of each kind of its purpose.
    ///
    /// It needs a slot before it can be written.
    /// - Parameters:
    ///   - purpose: What its keys are for.
    ///   - subject: The 16-byte identifier of the database or dataset; random if nil.
    ///   - today: The date of the keys.
    /// - Throws: ``LockstepError/Code/misuse`` for an identifier of another length;
    ///   ``LockstepError/Code/secureMemoryExhausted``.
    public static func create(
        _ purpose: KeyringPurpose, subject: [UInt8]? = nil, today: CalendarDay = .today
    ) throws(LockstepError) -> Keyring {
        let subjectID = if let subject { subject } else { try Random.bytes(16) }
        guard subjectID.count == 16 else {
            throw LockstepError(.misuse, "an identifier is 16 bytes, not \(subjectID.count)")
        }
        let document = KeyringDocument(
            ringID: try Random.bytes(KeyringDocument.ringIDLength), epoch: 1, purpose: purpose, subjectID: subjectID)
        var keyring = Keyring(document: document, ringKey: try SecretBytes(random: 32))
        for kind in purpose.kinds { try keyring.addKey(kind, state: .active, today: today) }
        return keyring
    }

    /// Opens a keyring's text.
    ///
    /// `credential` is called for each slot in the file's order and returns the credential to try, or nil to skip the
    /// slot. The first slot that opens yields the ring key; then the MAC must verify. Passphrases are tried on slots
    /// whose N add up to at most 2^21; if there are more, `credential` chooses among them by returning nil.
    /// - Throws: ``LockstepError/Code/slotNotOpened`` if no credential opened its slot,
    ///   ``LockstepError/Code/noUsableSlot`` if no credential was given,
    ///   ``LockstepError/Code/keyringTampered``, and any error that the parser throws.
    static func open(
        _ text: [UInt8], maximum: Int = Scrypt.Cost.maximumTogether, credential: (SlotDescription) throws -> Credential?
    ) throws -> Keyring {
        let parsed = try KeyringParser.parse(text)
        var tried: [String] = []
        var left = maximum
        for slot in parsed.document.slots {
            var isAsTyped = false
            let ringKey = try tryOpening(slot, parsed.document.ringID, credential, &tried, &left, &isAsTyped)
            if let ringKey {
                var keyring = try proven(parsed, ringKey)
                keyring.wasOpenedAsTyped = isAsTyped
                return keyring
            }
        }
        if left < 0 { throw tooDear }
        throw tried.isEmpty
            ? nothingToTry(parsed.document)
            : LockstepError(
                .slotNotOpened, "the keyring did not open with the \(tried.joined(separator: ", "))",
                hint: "check the passphrase, key file or variable, and that it is this keyring's")
    }

    private static func tryOpening(
        _ slot: KeyringSlot, _ ringID: [UInt8], _ credential: (SlotDescription) throws -> Credential?,
        _ tried: inout [String], _ left: inout Int, _ isAsTyped: inout Bool
    ) throws -> SecretBytes? {
        let offered = try credential(slot.description)
        if let offered {
            if slot.kind.passphraseCost > 0, offered.isPassphrase {
                // Without a limit, a crafted file could keep its reader busy indefinitely.
                left -= slot.kind.passphraseCost
                guard left >= 0 else { return nil }
            }
            tried.append(offered.name)
            if let opened = try slot.open(with: offered, ringID: ringID) { return opened }
            guard try offered.isOtherAsTyped() else { return nil }
            left -= slot.kind.passphraseCost
            guard left >= 0 else { return nil }
            isAsTyped = true
            return try slot.openAsTyped(with: offered, ringID: ringID)
        }
        return nil
    }

    private static var tooDear: LockstepError {
        LockstepError(
            .slotNotOpened,
            "the keyring did not open, and not all of its passphrase slots were tried: together they cost "
                + "more than a slot with N = 2^\(Scrypt.Cost.maximumTogether.trailingZeroBitCount)",
            hint:
                "open it with another slot, such as a key file, and remove passphrase slots; a program "
                + "chooses the slot in the closure that it passes to KeyringFile.open")
    }

    private static func proven(
        _ parsed: KeyringParser.Outcome, _ ringKey: consuming SecretBytes
    ) throws(LockstepError) -> Keyring {
        let keyring = Keyring(document: parsed.document, ringKey: ringKey)
        let mac = try keyring.mac(over: parsed.authenticated)
        guard ConstantTime.equal(mac.span, parsed.mac.span) else {
            throw LockstepError(
                .keyringTampered, "the keyring's MAC does not match its text",
                hint: "someone changed the file; restore it from a backup")
        }
        try parsed.document.checkSignature()
        return keyring
    }

    /// The same keyring from a newer text, which the same ring key authenticates.
    /// - Throws: ``LockstepError/Code/keyringChanged`` for another ring, ``LockstepError/Code/keyringOutdated`` for an
    ///   older text, ``LockstepError/Code/keyringTampered``, and any error that the parser throws.
    borrowing func reopened(_ text: [UInt8]) throws(LockstepError) -> Keyring {
        let parsed = try KeyringParser.parse(text)
        guard parsed.document.ringID == writtenRingID, writtenRingID == document.ringID else {
            throw LockstepError(
                .keyringChanged, "someone else changed the keyring's ring in the meantime",
                hint: "run the command again")
        }
        guard parsed.document.epoch >= epoch else {
            throw LockstepError(
                .keyringOutdated,
                "the keyring's file is older than before: its epoch is \(parsed.document.epoch), "
                    + "and was \(epoch)",
                hint: "restore the newest copy of the keyring")
        }
        var keyring = try Self.proven(parsed, ringKey.clone())
        keyring.file = file
        return keyring
    }

    private static func nothingToTry(_ document: KeyringDocument) -> LockstepError {
        let needs = document.slots.map(\.kind.requirement)
        let ways = needs.dropFirst().reduce(needs.first ?? "nothing") { "\($0), or \($1)" }
        return LockstepError(
            .noUsableSlot, "no credential was given that could open the keyring", advice: "it opens with \(ways)")
    }

    // MARK: Looking

    /// The kind of access that the keyring gives.
    public var purpose: KeyringPurpose { document.purpose }
    /// How many times the file has been written, including this version.
    public var epoch: UInt64 { document.epoch }
    /// The 16-byte identifier of the database or dataset.
    public var subjectID: [UInt8] { document.subjectID }

    /// A key's material.
    /// - Throws: ``LockstepError/Code/keyUnavailable`` if the key does not exist or was destroyed.
    borrowing func key(_ kind: KeyKind, version: UInt32) throws(LockstepError) -> SecretBytes {
        let index = try index(of: kind, version)
        return try unwrap(document.keys[index])
    }

    // MARK: Writing

    /// The file's text with `epoch`, signed if there is a signer.
    /// - Throws: ``LockstepError/Code/keyringConflict`` for a keyring that could not be read back, or whose
    ///   signature this would break.
    borrowing func encode(
        epoch: UInt64, signer: borrowing SigningKey? = nil
    ) throws(LockstepError) -> [UInt8] {
        var document = document
        document.epoch = epoch
        document.format = document.writtenFormat
        guard epoch <= KeyringDocument.maximumEpoch else {
            throw LockstepError(
                .keyringConflict, "the keyring's epoch has reached its maximum", hint: "make a new keyring")
        }
        do {
            try document.checkConsistency()
        } catch {
            throw LockstepError(
                .keyringConflict, error.message, hint: "a keyring needs a slot, and one active key of each kind")
        }
        document.signature = nil
        if let line = try signer?.line(over: document.textAboveMAC()) {
            document.signature = line
        } else {
            try requireUnsigned()
        }
        let text = document.text(mac: try mac(over: document.textAboveMAC()))
        // Plugin slots can have 8 KiB each, and database lines have any length; readers reject longer files.
        guard text.count <= document.format.largestFile else {
            throw LockstepError(
                .keyringConflict,
                "the keyring would be \(text.count) bytes long; the maximum is " + "\(document.format.largestFile)",
                advice: """
                    remove a plugin slot first, with \(.removeSlot), or use another keyring for further databases
                    """)
        }
        return text
    }

    /// Records that the file was written with `epoch`.
    mutating func wasWritten(epoch: UInt64, _ signature: SignatureLine?) {
        document.epoch = epoch
        document.format = document.writtenFormat
        document.signature = signature
        if writtenRingID != document.ringID { formerRings.append(writtenRingID) }
        writtenRingID = document.ringID
    }

    /// Replaces the ring key.
    mutating func setRing(_ id: [UInt8], _ key: consuming SecretBytes) {
        document.ringID = id
        ringKey = key
    }

    // MARK: Pieces

    private borrowing func mac(over text: [UInt8]) throws(LockstepError) -> [UInt8] {
        let key = try Self.derive("mac/1", ringKey, document.ringID)
        return try HMAC.code(.sha256, key: key.bytes, message: text.span)
    }

    private static func derive(
        _ label: String, _ ringKey: borrowing SecretBytes, _ ringID: [UInt8]
    ) throws(LockstepError) -> SecretBytes {
        try HKDF.derive(ringKey.bytes, salt: ringID.span, info: Array(label.utf8).span)
    }

    func index(of kind: KeyKind, _ version: UInt32) throws(LockstepError) -> Int {
        guard
            let index = document.keys.firstIndex(where: {
                $0.kind == kind && $0.version == version
            })
        else {
            throw LockstepError(
                .keyUnavailable, "the keyring has no \(kind.rawValue) key \(version)",
                hint: "a newer keyring may contain it")
        }
        return index
    }

    private static func binding(_ entry: KeyringDocument.KeyEntry, _ ringID: [UInt8]) -> [UInt8] {
        ringID + Array(entry.boundLine.utf8)
    }

    borrowing func wrap(
        _ material: borrowing SecretBytes, into entry: inout KeyringDocument.KeyEntry
    ) throws(LockstepError) {
        try Self.wrap(material, into: &entry, ringKey, document.ringID)
    }

    /// Wraps a key with a ring key.
    static func wrap(
        _ material: borrowing SecretBytes, into entry: inout KeyringDocument.KeyEntry,
        _ ringKey: borrowing SecretBytes, _ ringID: [UInt8]
    ) throws(LockstepError) {
        let nonce = try Random.bytes(XAES256GCM.nonceLength)
        let wrapKey = try derive("wrap/1", ringKey, ringID)
        var cipher = try XAES256GCM(key: wrapKey.bytes)
        entry.wrapped =
            nonce + (try cipher.seal(material.bytes, nonce: nonce.span, associatedData: binding(entry, ringID).span))
    }

    borrowing func unwrap(
        _ entry: KeyringDocument.KeyEntry
    ) throws(LockstepError) -> SecretBytes {
        guard let wrapped = entry.wrapped else {
            throw LockstepError(
                .keyUnavailable, "\(entry.kind.rawValue) key \(entry.version) was destroyed on \(entry.day)",
                hint: "data that it encrypted can no longer be read")
        }
        let wrapKey = try Self.derive("wrap/1", ringKey, document.ringID)
        var cipher = try XAES256GCM(key: wrapKey.bytes)
        let nonce = wrapped[..<XAES256GCM.nonceLength]
        let sealed = wrapped[XAES256GCM.nonceLength...]
        let opened = try cipher.open(
            sealed.span, nonce: nonce.span, associatedData: Self.binding(entry, document.ringID).span)
        if let opened {
            let commitment = try Self.commitment(of: opened)
            if ConstantTime.equal(commitment.span, entry.commitment.span) { return opened }
        }
        throw LockstepError(
            .keyringTampered, "\(entry.kind.rawValue) key \(entry.version) does not unwrap",
            hint: "restore the keyring from a backup")
    }

    static func commitment(
        of material: borrowing SecretBytes
    ) throws(LockstepError) -> [UInt8] {
        let empty: [UInt8] = []
        let derived = try HKDF.derive(material.bytes, salt: empty.span, info: Array("commit".utf8).span)
        return derived.publicCopy()
    }
}
