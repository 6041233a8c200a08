/// The MAC of a ledger row, and the key that made it.
struct LedgerCode: Sendable, Equatable {
    /// The identifier of the dataset, 16 bytes.
    let dataset: [UInt8]
    /// The version of its field key.
    let keyVersion: UInt32
    /// HMAC-SHA256, 32 bytes.
    let mac: [UInt8]
}

/// Makes and checks the MACs of ledger rows with the field keys of one connection. The comment in
/// LedgerEntry.swift lists the covered fields.
package struct LedgerCodes {
    /// Sorted by dataset identifier, so that the order in which the keys were given makes no difference.
    private let keys: [FieldKeys]

    package init(_ keys: [FieldKeys]) {
        self.keys = keys.sorted { $0.dataset.lexicographicallyPrecedes($1.dataset) }
    }

    /// Uses the keys that the connection was opened with; none without fields keyrings.
    init(_ connection: borrowing Connection) { self.init(connection.sealed?.allKeys ?? []) }

    /// The code for a row to be written, under the active field key of the first dataset. Nil without keys.
    func code(for entry: LedgerEntry) throws(LockstepError) -> LedgerCode? {
        try code { Self.message(entry, $0, $1) }
    }

    /// The same for the progress of a version.
    func code(for progress: UnfinishedMigration) throws(LockstepError) -> LedgerCode? {
        try code { Self.message(progress, $0, $1) }
    }

    private func code(
        _ message: (_ dataset: [UInt8], _ keyVersion: UInt32) -> AuthenticatedMessage
    ) throws(LockstepError) -> LedgerCode? {
        guard let first = keys.first else { return nil }
        let version = first.activeVersion
        let key = try first.ledgerKey(version)
        let mac = try HMAC(.sha256, key: key.bytes)
        return LedgerCode(
            dataset: first.dataset, keyVersion: version, mac: try message(first.dataset, version).code(mac))
    }

    /// Checks each row whose key is available.
    /// - Returns: The number of checked rows.
    /// - Throws: ``LockstepError/Code/tampered`` for a row that does not match its code.
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

    /// Requires the keys that a new record of a version with a MAC takes: without them it would have none.
    /// - Throws: ``LockstepError/Code/keyUnavailable``.
    func requireKeys(of entry: LedgerEntry) throws(LockstepError) {
        guard let code = entry.code, keys.first?.dataset != code.dataset else { return }
        throw LockstepError(
            .keyUnavailable,
            "the record of \(entry.set) \(entry.version) is authenticated with the keys of the dataset "
                + "\(Hex.encode(code.dataset))", advice: "give the dataset's keyring: \(.fieldKeys)",
            context: .init(set: entry.set, entry.version))
    }

    /// Requires that one of the keys has written the progress of a version; without keys nothing is required.
    /// - Throws: ``LockstepError/Code/tampered`` for a row that was changed since;
    ///   ``LockstepError/Code/migrationUnfinished`` for a row of nobody that these keys know.
    func require(_ progress: UnfinishedMigration) throws(LockstepError) {
        guard !keys.isEmpty else { return }
        let title = "version \(progress.version) of \(progress.set)"
        let context = LockstepError.Context(set: progress.set, progress.version)
        guard let code = progress.code,
            let own = keys.first(where: { $0.dataset == code.dataset }),
            own.hasSecret(code.keyVersion)
        else {
            throw LockstepError(
                .migrationUnfinished,
                progress.code == nil
                    ? "\(title) was begun without a fields keyring or by an earlier Lockstep, so nothing proves how far it came"
                    : "\(title) was begun with another fields keyring, so nothing proves here how far it came",
                advice: """
                    continue it as it was begun; or \(progress.givingUp); if nobody has begun it, somebody with the \
                    database's key wrote the record
                    """,
                context: context)
        }
        let key = try own.ledgerKey(code.keyVersion)
        let expected = try Self.message(progress, own.dataset, code.keyVersion)
            .code(HMAC(.sha256, key: key.bytes))
        guard ConstantTime.equal(expected.span, code.mac.span) else {
            throw LockstepError(
                .tampered, "the progress of \(title) does not authenticate: it was changed without the fields keyring",
                advice: "restore the database from a backup; or \(progress.givingUp)", context: context)
        }
    }

    /// The number of rows with a code of one of these datasets under a key version that the keyring no longer
    /// has, or does not have yet.
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
        add(entry.checksums, to: &message)
        message.addOptional(entry.down)
        message.add(UInt64(bitPattern: entry.appliedAt))
        message.add(UInt64(bitPattern: entry.duration))
        message.add(entry.toolVersion)
        return message
    }

    private static func message(
        _ progress: UnfinishedMigration, _ dataset: [UInt8], _ keyVersion: UInt32
    ) -> AuthenticatedMessage {
        var message = AuthenticatedMessage("progress/1")
        message.add(dataset)
        message.add(UInt64(keyVersion))
        message.add(progress.set)
        message.add(progress.version.description)
        message.add(progress.name)
        add(progress.checksums, to: &message)
        message.addOptional(progress.down)
        message.add(UInt64(progress.isUp ? 1 : 0))
        message.add(UInt64(progress.segment))
        message.add(progress.cursor)
        message.add(UInt64(bitPattern: progress.startedAt))
        message.addOptional(progress.completed)
        return message
    }

    private static func add(
        _ checksums: MigrationChecksums, to message: inout AuthenticatedMessage
    ) {
        message.add(checksums.bytes)
        message.add(checksums.text)
        message.add(checksums.tokens)
    }

    private static func forged(_ entry: LedgerEntry) -> LockstepError {
        LockstepError(
            .tampered,
            "row \(entry.position) of the ledger (version \(entry.version)) does not authenticate: "
                + "it was changed without the fields keyring", hint: "restore the database from a backup",
            context: .init(set: entry.set, entry.version))
    }
}
