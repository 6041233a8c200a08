// A keyring file, formats 1 and 4
// ===============================
//
// Strict text in lines, each ended by a single LF. Fields are separated by single spaces; bytes are
// canonical unpadded base64 (RFC 4648); numbers are decimal without leading zeros. At most 256 KiB
// (4 MiB in format 4), 64 slots, 1024 keys, 64 former rings and 1024 databases. In order:
//
//   lockstep-keyring/4                               /1 if the file has none of the lines that follow the keys
//   ring <id:16> epoch <n> purpose database database <id:16>
//   ring <id:16> epoch <n> purpose fields dataset <id:16>
//   -> <type> <slot> [<field> ...]                   one or more slots, each a header line ...
//   <commitment:32 ‖ AES-256-GCM(ring key):48>       ... and a body line
//   key <kind> <version> <state> <YYYY-MM-DD> <commitment:32> <nonce:24 ‖ ciphertext:32 ‖ tag:16>
//   key <kind> <version> destroyed <YYYY-MM-DD> <commitment:32> -
//   former <id:16>                                   rings that this one replaced, oldest first
//   file <database:16> key <version> [own <salt:16>] seen <epoch> at <path or -> [from <database:16>]
//                                                    a database that a database keyring opens
//   sealed <database:16> seen <epoch> registry <id:16 or -> changes <n> <MAC:32 or -> lowest <version>
//          [from <database:16>]                      a fields keyring's record of a database ...
//   column <n> <id:16 or -> <table.column> <mode> <padding> <state> <row key>
//   column 0 - <table.column>                        ... each of its columns, ...
//   index <n> <token column> <normaliser> <bits> <key version>
//                                                    ... and the indexes of each, in the order of their numbers
//   sig ed25519 <public key:32> <signature:64>       at most one, over all bytes above it
//   --- <HMAC-SHA256:32>                             over all bytes above this line
//
// Database lines are in the order of their ids, without duplicates. `own` says that the file has a key of its own, and
// with what the file begins (see VersionKey.swift); a file without it shares its key with others. `seen` is an
// epoch of this keyring that the database is known to have recorded (see KeyringTable.swift), or 0. A `from` names the
// database that this one was forked from. A path is relative to the keyring's folder, with at most one `..`, which is
// its beginning, or absolute, and encoded as PercentEncodedPath.swift says; `-` is an unknown one.
//
// A `sealed` line contains the registry's identity, counter and MAC (see RegistryTables.swift), and the lowest version
// of the field key that a cell may still have, or 0. Changes of 0 mean that nothing was sealed yet: then the line has
// no registry, MAC, key or column. Columns that are not plaintext follow, with names encoded as in manifests, in the
// byte order of the encoded names. The other fields are the registry's: a column's number and identity, its mode, the
// unit of its padding, its state, and the row key or `-`.
//
// A slot's type and name are 1 to 32 of [a-z0-9-]. The file of each kind of slot, such as PassphraseSlot.swift,
// specifies the fields of its type, its slot secret, and its salt unless that is a field. Slots of unknown types are
// preserved but open nothing.
//
// The epoch counts the file's versions. A key's date is the day of its last state change.
//
// Derivations, all HKDF-SHA256 (‖ is concatenation, texts are ASCII):
//
//   wrap ‖ commit HKDF(slot secret, salt = the slot's salt, info = "slot/1" ‖ ring id ‖ header line)
//   slot body     commit ‖ AES-256-GCM(wrap, nonce = 0, ring key, associated data = header line)
//   MAC key       HKDF(ring key, salt = ring id, info = "mac/1")
//   key wrap      HKDF(ring key, salt = ring id, info = "wrap/1")
//   wrapped key   XAES-256-GCM(key wrap, nonce, key, associated data = ring id ‖ the line before it)
//   commitment    HKDF(key, no salt, info = "commit"), of a wrapped key
//
// The nonce of a slot body can be zero because its wrap key is used once: each slot gets a new salt when it
// is written. A header line is part of both the derivation and the associated data, so a slot with edited
// parameters does not open.
//
// A file is valid if it follows this grammar, all slot names and all pairs of kind and version are unique, each
// kind of its purpose has exactly one active key and no other kind occurs, and the MAC verifies. A fields
// keyring without manifest keys in any state is an issued one, which reads but cannot sign.
// The MAC proves nothing among holders of slots: each of them can compute it.

/// A parsed keyring. Nothing in it is secret, and nothing in it is proven before the MAC is verified.
struct KeyringDocument: Sendable, Equatable {
    /// The maximum size in any format.
    static let largestFile = Format.fourth.largestFile
    static let maximumSlots = 64
    static let maximumKeys = 1024
    static let maximumFormerRings = 64
    static let maximumDatabases = 1024
    static let ringIDLength = 16
    static let databaseIDLength = DatabaseKey.idLength
    /// The largest value that SQLite can store.
    static let maximumEpoch = UInt64(Int64.max)

    /// The format of the text that it was read from, or in which it is written.
    var format = Format.first
    var ringID: [UInt8]
    var epoch: UInt64
    var purpose: KeyringPurpose
    var subjectID: [UInt8]
    var slots: [KeyringSlot] = []
    var keys: [KeyEntry] = []
    /// The rings that this one replaced, oldest first.
    var formerRings: [[UInt8]] = []
    /// The databases that a database keyring opens, in the order of their ids.
    var files: [DatabaseRecord] = []
    /// A fields keyring's records of databases, in the order of their ids.
    var sealed: [SealedRecord] = []
    var signature: SignatureLine?

    /// Whether there is anything that format 1 lacks.
    var hasRecords: Bool { !formerRings.isEmpty || !files.isEmpty || !sealed.isEmpty }

    /// The format in which its content is written.
    var writtenFormat: Format { hasRecords ? .fourth : .first }

    /// One key, wrapped.
    struct KeyEntry: Sendable, Equatable {
        let kind: KeyKind
        let version: UInt32
        var state: KeyState
        var day: CalendarDay
        let commitment: [UInt8]
        /// Nonce, ciphertext and tag; nil if the key is destroyed.
        var wrapped: [UInt8]?

        /// The line without the wrapped key: the associated data of the wrap.
        var boundLine: String {
            "key \(kind.rawValue) \(version) \(state.rawValue) \(day) \(Base64.encode(commitment))"
        }
    }

    /// Whether the keyring was issued: its holder can read the dataset but cannot sign for it.
    var isIssued: Bool { purpose == .fields && !keys.contains { $0.kind == .manifest } }

    /// The cost of trying a passphrase on every passphrase slot: the sum of their N.
    /// - Parameter name: The slot to leave out.
    func costOfSlots(besides name: String? = nil) -> Int {
        // exact: names of slots
        slots.reduce(0) { sum, slot in sum + (slot.name == name ? 0 : slot.kind.passphraseCost) }
    }

    /// The text above the MAC line.
    func textAboveMAC() -> [UInt8] {
        var lines = [
            format.magic,
            "ring \(Base64.encode(ringID)) epoch \(epoch) purpose \(purpose.rawValue)"
                + " \(purpose.subjectWord) \(Base64.encode(subjectID))",
        ]
        for slot in slots {
            lines.append(slot.header)
            lines.append(Base64.encode(slot.body))
        }
        for key in keys {
            lines.append("\(key.boundLine) \(key.wrapped.map { Base64.encode($0) } ?? "-")")
        }
        lines += formerRings.map { "former \(Base64.encode($0))" }
        lines += files.map(\.line) + sealed.flatMap(\.lines)
        if let signature { lines.append(signature.text) }
        return lines.flatMap { Array($0.utf8) + [UInt8(ascii: "\n")] }
    }

    /// The whole file.
    func text(mac: [UInt8]) -> [UInt8] {
        textAboveMAC() + Array("--- \(Base64.encode(mac))\n".utf8)
    }

    /// Checks the rules that concern several lines.
    func checkConsistency() throws(LockstepError) {
        guard !slots.isEmpty, slots.count <= Self.maximumSlots else {
            throw Self.malformed("it has \(counted(slots.count, "slot")); 1 to \(Self.maximumSlots) are allowed")
        }
        guard keys.count <= Self.maximumKeys else {
            throw Self.malformed("it has \(keys.count) keys; \(Self.maximumKeys) are allowed")
        }
        guard Set(slots.map(\.name)).count == slots.count else {
            throw Self.malformed("two slots have the same name")
        }
        try checkRecords()
        var seen: Set<String> = []  // exact: names of slots
        for key in keys {
            guard purpose.kinds.contains(key.kind) else {
                throw Self.malformed("a \(purpose.rawValue) keyring cannot hold a \(key.kind.rawValue) key")
            }
            guard seen.insert("\(key.kind.rawValue) \(key.version)").inserted else {
                throw Self.malformed("\(key.kind.rawValue) key \(key.version) occurs twice")
            }
        }
        for kind in purpose.kinds where kind != .manifest || !isIssued {
            let active = keys.count { $0.kind == kind && $0.state == .active }
            guard active == 1 else {
                throw Self.malformed("it has \(counted(active, "active \(kind.rawValue) key")); expected one")
            }
        }
    }

    private func checkRecords() throws(LockstepError) {
        guard purpose == .database || files.isEmpty, purpose == .fields || sealed.isEmpty else {
            throw Self.malformed("it has database lines of another purpose")
        }
        guard formerRings.count <= Self.maximumFormerRings,
            files.count + sealed.count <= Self.maximumDatabases
        else { throw Self.malformed("it has too many former rings or databases") }
        guard Set(formerRings + [ringID]).count == formerRings.count + 1 else {
            throw Self.malformed("a ring occurs twice")
        }
        let ids = files.map(\.database) + sealed.map(\.database)
        guard zip(ids, ids.dropFirst()).allSatisfy({ $0.lexicographicallyPrecedes($1) }) else {
            throw Self.malformed("databases must be in the order of their ids, without duplicates")
        }
    }

    static func malformed(_ what: String, line: Int? = nil) -> LockstepError {
        let place = line.map { "line \($0) of the keyring" } ?? "the keyring"
        return LockstepError(
            .keyringMalformed, "\(place) breaks the format: \(what)",
            hint: "restore the file from a backup; it must not be edited by hand", context: .init(line: line))
    }
}
