/// The MAC of a ledger row, and the key that it is made with.
struct LedgerCode: Sendable, Equatable {
    /// The identifier of the dataset, 16 bytes.
    let dataset: [UInt8]
    /// The version of its field key.
    let keyVersion: UInt32
    /// HMAC-SHA256, 32 bytes.
    let mac: [UInt8]
}

/// Makes and checks the MACs of ledger rows with the field keys of one connection. ``Ledger`` says what they cover.
struct LedgerCodes {
    /// Ascending by the datasets' identifiers, so that the order in which keys were given makes no difference.
    private let keys: [FieldKeys]

    init(_ keys: [FieldKeys]) {
        self.keys = keys.sorted { $0.dataset.lexicographicallyPrecedes($1.dataset) }
    }

    /// With the keys that the connection was opened with; none without fields keyrings.
    init(_ connection: borrowing Connection) { self.init(connection.sealed?.allKeys ?? []) }

    /// The code for a row that is about to be written: under the active field key of the first dataset. Nil without
    /// keys.
    func code(for entry: LedgerEntry) throws(LockstepError) -> LedgerCode? {
        guard let first = keys.first else { return nil }
        let version = first.activeVersion
        let key = try first.ledgerKey(version)
        let mac = try HMAC(.sha256, key: key.bytes)
        return LedgerCode(
            dataset: first.dataset, keyVersion: version,
            mac: try Self.message(entry, first.dataset, version).code(mac))
    }

    /// Checks each row whose key is at hand.
    /// - Returns: How many these are.
    /// - Throws: ``LockstepError/Code/tampered`` for a row that its code does not fit.
    @discardableResult
    func check(_ entries: [LedgerEntry]) throws(LockstepError) -> Int {
        var count = 0
        for keys in keys {
            let own = entries.filter { $0.code?.dataset == keys.dataset }
            for version in Set(own.compactMap(\.code?.keyVersion)) where keys.hasSecret(version) {
                let key = try keys.ledgerKey(version)
                let mac = try HMAC(.sha256, key: key.bytes)
                for entry in own {
                    guard let code = entry.code, code.keyVersion == version else { continue }
                    let expected = try Self.message(entry, keys.dataset, version).code(mac)
                    guard ConstantTime.equal(expected.span, code.mac.span) else {
                        throw Self.forged(entry)
                    }
                    count += 1
                }
            }
        }
        return count
    }

    /// How many rows have a code of one of these datasets under a key that the keyring does not have any more, or not
    /// yet.
    func uncheckable(_ entries: [LedgerEntry]) -> Int {
        entries.count { entry in
            guard let code = entry.code else { return false }
            return keys.contains { $0.dataset == code.dataset && !$0.hasSecret(code.keyVersion) }
        }
    }

    private static func message(
        _ entry: LedgerEntry, _ dataset: [UInt8], _ keyVersion: UInt32
    ) -> AuthenticatedMessage {
        var message = AuthenticatedMessage("ledger/1")
        message.add(dataset)
        message.add(UInt64(keyVersion))
        message.add(UInt64(bitPattern: entry.position))
        message.add(entry.set)
        message.add(entry.version.description)
        message.add(entry.name)
        message.add(entry.checksums.bytes)
        message.add(entry.checksums.text)
        message.add(entry.checksums.tokens)
        message.addOptional(entry.down)
        message.add(UInt64(bitPattern: entry.appliedAt))
        message.add(UInt64(bitPattern: entry.duration))
        message.add(entry.toolVersion)
        return message
    }

    private static func forged(_ entry: LedgerEntry) -> LockstepError {
        LockstepError(
            .tampered,
            "the ledger's row \(entry.position), of version \(entry.version), does not authenticate: "
                + "it was changed without the fields keyring",
            hint: "restore the database from a backup")
    }
}
