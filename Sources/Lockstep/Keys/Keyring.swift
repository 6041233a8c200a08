/// A keyring that was opened: its ring key is known and its MAC was checked.
///
/// Changes stay in memory until ``KeyringFile/save(_:)`` writes them.
public struct Keyring: ~Copyable {
    private(set) var document: KeyringDocument
    private let ringKey: SecretBytes

    private init(document: KeyringDocument, ringKey: consuming SecretBytes) {
        self.document = document
        self.ringKey = ringKey
    }

    // MARK: Making and opening

    /// Makes a keyring with a fresh ring key and one active key of each kind its purpose has.
    ///
    /// It needs a slot before it can be written.
    /// - Parameter subject: The 16-byte identifier of the database or dataset; random if nil.
    public static func create(
        _ purpose: KeyringPurpose, subject: [UInt8]? = nil, today: CalendarDay = .today
    ) throws(LockstepError) -> Keyring {
        let subjectID = if let subject { subject } else { try Random.bytes(16) }
        guard subjectID.count == 16 else {
            throw LockstepError(.misuse, "an identifier is 16 bytes, not \(subjectID.count)")
        }
        let document = KeyringDocument(
            ringID: try Random.bytes(16), epoch: 1, purpose: purpose, subjectID: subjectID)
        var keyring = Keyring(document: document, ringKey: try SecretBytes(random: 32))
        for kind in purpose.kinds { try keyring.addKey(kind, state: .active, today: today) }
        return keyring
    }

    /// Opens a keyring's text.
    ///
    /// `credential` is asked for each slot in the file's order and gives what to try, or nil to skip
    /// the slot. The first slot that opens decides; then the MAC must verify.
    /// - Throws: ``LockstepError/Code/slotNotOpened`` if something was tried and nothing fitted,
    ///   ``LockstepError/Code/noUsableSlot`` if there was nothing to try,
    ///   ``LockstepError/Code/keyringTampered``, and what the parser throws.
    static func open(
        _ text: [UInt8], credential: (SlotDescription) throws -> Credential?
    ) throws -> Keyring {
        let parsed = try KeyringParser.parse(text)
        var tried: [String] = []
        for slot in parsed.document.slots {
            let ringKey = try tryOpening(slot, parsed.document.ringID, credential, &tried)
            if let ringKey { return try proven(parsed, ringKey) }
        }
        throw tried.isEmpty
            ? nothingToTry(parsed.document)
            : LockstepError(
                .slotNotOpened,
                "the keyring did not open with the \(tried.joined(separator: ", "))",
                hint: "check the passphrase, key file or variable, and that it is this keyring's")
    }

    private static func tryOpening(
        _ slot: KeyringDocument.Slot, _ ringID: [UInt8],
        _ credential: (SlotDescription) throws -> Credential?, _ tried: inout [String]
    ) throws -> SecretBytes? {
        let offered = try credential(slot.description)
        if let offered {
            tried.append(offered.name)
            return try slot.open(with: offered, ringID: ringID)
        }
        return nil
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
        return keyring
    }

    private static func nothingToTry(_ document: KeyringDocument) -> LockstepError {
        let ways = document.slots.map { slot in
            switch slot.description.kind {
            case .passphrase: "a passphrase"
            case .keyFile: "a key file"
            case .environment(let variable): "the environment variable \(variable)"
            case .other(let type): "a slot of type \(type), which this version cannot use"
            }
        }
        return LockstepError(
            .noUsableSlot, "nothing was given that could open the keyring",
            hint: "it opens with \(ways.joined(separator: ", or "))")
    }

    // MARK: Looking

    /// What the keyring gives power over.
    public var purpose: KeyringPurpose { document.purpose }
    /// How many times the file has been written, this version included.
    public var epoch: UInt64 { document.epoch }
    /// The 16-byte identifier of the database or dataset.
    public var subjectID: [UInt8] { document.subjectID }

    /// A key's material.
    /// - Throws: ``LockstepError/Code/keyUnavailable`` if there is no such key or it was destroyed.
    borrowing func key(_ kind: KeyKind, version: UInt32) throws(LockstepError) -> SecretBytes {
        let index = try index(of: kind, version)
        return try unwrap(document.keys[index])
    }

    // MARK: Changing

    /// Adds a way to open the keyring.
    ///
    /// A passphrase slot costs what `Scrypt.Cost.standard` says, 0.5 s and 128 MiB, at each opening.
    public mutating func addSlot(
        _ name: String, _ credential: borrowing Credential
    ) throws(LockstepError) {
        try addSlot(name, credential, cost: .standard)
    }

    mutating func addSlot(
        _ name: String, _ credential: borrowing Credential, cost: Scrypt.Cost
    ) throws(LockstepError) {
        guard !document.slots.contains(where: { $0.name == name }) else {
            throw LockstepError(
                .keyringConflict, "the keyring has a slot \(name) already",
                hint: "choose another name")
        }
        guard document.slots.count < KeyringDocument.mostSlots else {
            throw LockstepError(
                .keyringConflict, "the keyring has \(KeyringDocument.mostSlots) slots already",
                hint: "remove one first")
        }
        document.slots.append(
            try KeyringDocument.Slot(
                name: name, credential, ringKey: ringKey, ringID: document.ringID, cost: cost))
    }

    /// Adds a random key of the next version and returns that version.
    @discardableResult
    mutating func addKey(
        _ kind: KeyKind, state: KeyState, today: CalendarDay = .today
    ) throws(LockstepError) -> UInt32 {
        guard document.keys.count < KeyringDocument.mostKeys else {
            throw LockstepError(
                .keyringConflict, "the keyring has \(KeyringDocument.mostKeys) keys already",
                hint: "make a new keyring")
        }
        let (version, overflow) =
            (document.keys.filter { $0.kind == kind }.map(\.version).max() ?? 0)
            .addingReportingOverflow(1)
        guard !overflow else {
            throw LockstepError(
                .keyringConflict, "the versions of \(kind.rawValue) keys are used up",
                hint: "make a new keyring")
        }
        let material = try SecretBytes(random: 32)
        var entry = KeyringDocument.KeyEntry(
            kind: kind, version: version, state: state, day: today,
            commitment: try Self.commitment(of: material), wrapped: nil)
        try wrap(material, into: &entry)
        document.keys.append(entry)
        return version
    }

    /// Moves a key to another state; activating one retires the key that was active.
    ///
    /// If it throws, nothing has changed.
    mutating func setState(
        _ kind: KeyKind, version: UInt32, to state: KeyState, today: CalendarDay = .today
    ) throws(LockstepError) {
        let index = try index(of: kind, version)
        let old = document.keys[index].state
        guard old.successors.contains(state) else {
            throw LockstepError(
                .keyringConflict,
                "\(kind.rawValue) key \(version) cannot go from \(old.rawValue) to \(state.rawValue)",
                hint: old == .active ? "activate another key first" : nil)
        }
        var keys = document.keys
        keys[index] = try rewrapped(keys[index], as: state, today)
        if state == .active {
            for other in keys.indices
            where other != index && keys[other].kind == kind && keys[other].state == .active {
                keys[other] = try rewrapped(keys[other], as: .retired, today)
            }
        }
        document.keys = keys
    }

    /// Changes the keyring and writes it over the file that it was opened from. If it throws, the keyring in
    /// memory is what it was; the file is too, unless its folder could not be synced after it was replaced.
    mutating func change(
        in file: KeyringFile, _ body: (inout Keyring) throws -> Void
    ) throws {
        let before = document
        do {
            try body(&self)
            try file.save(&self)
        } catch {
            document = before
            throw error
        }
    }

    /// - Throws: ``LockstepError/Code/keyringConflict`` for a keyring that its publisher has signed.
    borrowing func requireUnsigned() throws(LockstepError) {
        guard document.signature == nil else {
            throw LockstepError(
                .keyringConflict, "the keyring is signed; a change would break its signature",
                hint: "ask its publisher for a new one")
        }
    }

    /// The file's text under `epoch`.
    /// - Throws: ``LockstepError/Code/keyringConflict`` for a keyring that could not be read again.
    borrowing func encode(epoch: UInt64) throws(LockstepError) -> [UInt8] {
        try requireUnsigned()
        guard epoch <= KeyringDocument.greatestEpoch else {
            throw LockstepError(
                .keyringConflict, "the keyring's epoch cannot rise any further",
                hint: "make a new keyring")
        }
        var document = document
        document.epoch = epoch
        do {
            try document.checkConsistency()
        } catch {
            throw LockstepError(
                .keyringConflict, error.message,
                hint: "a keyring needs a slot, and one active key of each kind")
        }
        return document.text(mac: try mac(over: document.textAboveMAC()))
    }

    /// Notes that the file was written under `epoch`.
    mutating func wasWritten(epoch: UInt64) { document.epoch = epoch }

    // MARK: Pieces

    private borrowing func mac(over text: [UInt8]) throws(LockstepError) -> [UInt8] {
        let key = try derive("mac/1")
        return try HMAC.code(.sha256, key: key.bytes, message: text.span)
    }

    private borrowing func derive(_ label: String) throws(LockstepError) -> SecretBytes {
        try HKDF.derive(
            ringKey.bytes, salt: document.ringID.span, info: Array(label.utf8).span)
    }

    private func index(of kind: KeyKind, _ version: UInt32) throws(LockstepError) -> Int {
        guard
            let index = document.keys.firstIndex(where: {
                $0.kind == kind && $0.version == version
            })
        else {
            throw LockstepError(
                .keyUnavailable, "the keyring has no \(kind.rawValue) key \(version)",
                hint: "a newer keyring may hold it")
        }
        return index
    }

    private func binding(_ entry: KeyringDocument.KeyEntry) -> [UInt8] {
        document.ringID + Array(entry.boundLine.utf8)
    }

    private borrowing func wrap(
        _ material: borrowing SecretBytes, into entry: inout KeyringDocument.KeyEntry
    ) throws(LockstepError) {
        let nonce = try Random.bytes(XAES256GCM.nonceLength)
        let wrapKey = try derive("wrap/1")
        let cipher = try XAES256GCM(key: wrapKey.bytes)
        entry.wrapped =
            nonce
            + (try cipher.seal(
                material.bytes, nonce: nonce.span, associatedData: binding(entry).span))
    }

    private borrowing func unwrap(
        _ entry: KeyringDocument.KeyEntry
    ) throws(LockstepError) -> SecretBytes {
        guard let wrapped = entry.wrapped else {
            throw LockstepError(
                .keyUnavailable,
                "\(entry.kind.rawValue) key \(entry.version) was destroyed on \(entry.day)",
                hint: "what it encrypted cannot be read any more")
        }
        let wrapKey = try derive("wrap/1")
        let cipher = try XAES256GCM(key: wrapKey.bytes)
        let nonce = wrapped[..<XAES256GCM.nonceLength]
        let sealed = wrapped[XAES256GCM.nonceLength...]
        let opened = try cipher.open(
            sealed.span, nonce: nonce.span, associatedData: binding(entry).span)
        if let opened {
            let commitment = try Self.commitment(of: opened)
            if ConstantTime.equal(commitment.span, entry.commitment.span) { return opened }
        }
        throw LockstepError(
            .keyringTampered, "\(entry.kind.rawValue) key \(entry.version) does not unwrap",
            hint: "restore the keyring from a backup")
    }

    private borrowing func rewrapped(
        _ entry: KeyringDocument.KeyEntry, as state: KeyState, _ today: CalendarDay
    ) throws(LockstepError) -> KeyringDocument.KeyEntry {
        var entry = entry
        let material = try unwrap(entry)
        (entry.state, entry.day, entry.wrapped) = (state, today, nil)
        if state != .destroyed { try wrap(material, into: &entry) }
        return entry
    }

    private static func commitment(
        of material: borrowing SecretBytes
    ) throws(LockstepError) -> [UInt8] {
        let empty: [UInt8] = []
        let derived = try HKDF.derive(
            material.bytes, salt: empty.span, info: Array("commit".utf8).span)
        var commitment: [UInt8] = []
        for index in 0..<derived.count { commitment.append(derived.bytes[index]) }
        return commitment
    }
}
