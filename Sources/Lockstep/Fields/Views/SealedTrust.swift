/// Checks that a file proves what other sources declare about its sealed columns.
///
/// The holders of the keys declare what is sealed: the fields keyring remembers each database, the program names the
/// columns that it relies on, and the connection remembers what it has seen. The file must satisfy all of them. The
/// file alone decides nothing, because anyone who can open it can remove its registry.
package struct SealedTrust {
    let fields: SealedFields
    let proof: SealedProof

    package init(fields: SealedFields, proof: SealedProof) {
        (self.fields, self.proof) = (fields, proof)
    }

    /// - Parameters:
    ///   - registry: The file's registry of the dataset; nil if it has none.
    ///   - known: What the fields keyring remembers of the database.
    ///   - inherited: What it remembers of the database that this one was forked from, by the word of the database's
    ///     keyring, which everyone with a slot can change. So it decides only what a fork must prove: by its own
    ///     registry, or after a person, or this process, has called it new.
    ///   - database: The file's id.
    /// - Throws: ``LockstepError/Code/registryMissing``, ``LockstepError/Code/registryOlder``,
    ///   ``LockstepError/Code/registryForged``.
    package func require(
        _ registry: ColumnRegistry?, _ keys: FieldKeys, _ known: SealedRecord?, inherited: SealedRecord? = nil,
        of database: [UInt8]?
    ) throws(LockstepError) {
        let record = known ?? inherited
        guard let registry else {
            if proof.state(of: keys.dataset) != nil || record?.isSealed == true {
                throw Self.missing(keys, record?.columns ?? [])
            }
            // Or the keyring records that nothing is sealed in it.
            if known == nil {
                guard fields.mayBeUnsealed else { throw Self.missing(keys, []) }
                guard isNew(keys) else { throw Self.stranger(keys, isFork: inherited != nil) }
            }
            proof.noteUnsealed(keys.dataset)
            return
        }
        // Its last change was made in this database, and not in one of which this is a copy or a fork.
        let isOwn = registry.database == database
        if let record { try require(registry, keys, after: .init(record), isOwn) }
        if let seen = proof.state(of: keys.dataset) {
            try require(registry, keys, after: seen, isOwn)
        } else if proof.wasUnsealed(keys.dataset), known == nil {
            // The connection knows which database it is.
            guard isOwn else { throw Self.other }
        }
        // The registry of another database of the dataset is authentic, too, and can seal fewer columns.
        let isKnown =
            known != nil || keys.memory.records.isEmpty || proof.wasUnsealed(keys.dataset)
            || (inherited != nil && (isOwn || fields.firstTime))
        guard isKnown || fields.mayBeUnknown else {
            throw inherited == nil ? Self.unknown(keys) : Self.stranger(keys, isFork: true)
        }
        proof.note(.init(registry), of: keys.dataset)
    }

    /// Requires that a registry is in a state that was seen, or in a later one of the same line.
    private func require(
        _ registry: ColumnRegistry, _ keys: FieldKeys, after seen: RegistryState, _ isOwn: Bool
    ) throws(LockstepError) {
        switch seen.succession(of: registry, isOwn: isOwn) {
        case .same, .later: return
        case .older: throw Self.older(keys, registry.changes, seen.changes)
        case .ofOther: throw Self.other
        case .diverged: throw Self.diverged
        case .forgotten: throw Self.forgotten(keys, seen.changes)
        }
    }

    /// Whether a database of which a fields keyring remembers nothing can be one in which nothing was sealed yet: the
    /// keyring remembers no database at all, or somebody has said so, or this connection has seen it before.
    private func isNew(_ keys: FieldKeys) -> Bool {
        keys.memory.records.isEmpty || fields.firstTime || proof.wasUnsealed(keys.dataset)
    }

    /// Requires that each column that the program relies on is proven to be sealed.
    /// - Parameter proven: The file's registries of the datasets whose keys were given.
    package func requireRelied(_ proven: [ColumnRegistry]) throws(LockstepError) {
        for title in fields.relied + proof.relied {
            guard !fields.keys.isEmpty else {
                throw LockstepError(
                    .keyUnavailable, "the program relies on \(title) being sealed, but has no fields keyring",
                    hint: "pass the keys of its dataset in ConnectionOptions.fieldKeys")
            }
            let isSealed = proven.flatMap(\.columns).contains {
                $0.state.sealsValues
                    && "\($0.table).\($0.name)" == SQLName(title)
            }
            // Nothing can be proven before the first column is sealed.
            guard isSealed || (proven.isEmpty && fields.mayBeUnsealed) else {
                throw Self.unproven(title)
            }
        }
    }

    /// Requires that the connection proves each of these columns to be sealed.
    static func require(_ columns: [String], _ connection: borrowing Connection) throws {
        for title in columns {
            guard
                connection.sealed?.named.contains(where: {
                    $0.column.column.state.sealsValues && SQLName($0.column.title) == SQLName(title)
                }) == true
            else { throw unproven(title) }
        }
    }

    private static func unproven(_ title: String) -> LockstepError {
        LockstepError(
            .registryMissing, "the program relies on \(title) being sealed, but the file does not prove it",
            advice: """
                somebody who can open the database might have removed its registry; \
                \(.verifyFields) shows more; restore the database from a backup
                """)
    }

    /// A dataset's name in messages.
    static func title(_ keys: FieldKeys) -> String {
        keys.name ?? "\(Hex.encode(keys.dataset.prefix(4)))…"
    }

    private static func missing(
        _ keys: FieldKeys, _ columns: [SealedRecord.Column]
    ) -> LockstepError {
        let known =
            columns.isEmpty
            ? "" : ", but the fields keyring remembers sealed columns: \(columns.map(\.title).joined(separator: ", "))"
        return LockstepError(
            .registryMissing,
            "the file has no registry of the dataset \(title(keys))\(known)",
            advice: columns.isEmpty
                ? """
                if nothing was ever sealed in it, run \(.migrate) or \(.seal) first; otherwise somebody removed \
                the registry: restore the database from a backup
                """
                : """
                somebody who can open the database removed the registry; \(.verifyFields) shows more; restore \
                the database from a backup
                """)
    }

    /// A database that nobody has called new.
    private static func stranger(_ keys: FieldKeys, isFork: Bool) -> LockstepError {
        LockstepError(
            .registryMissing,
            "the fields keyring of the dataset \(title(keys)) remembers other databases, but not this one"
                + (isFork ? ", which the database's keyring calls a fork of one of them" : ""),
            advice: isFork
                ? """
                if you have made that fork, \(.acceptSealed) or \(.firstTime) makes the fields keyring remember it; \
                otherwise somebody put a copy of another database here: restore the database from a backup
                """
                : """
                if it is a new one, in which nothing of the dataset was sealed yet, say so with \(.firstTime); \
                otherwise somebody gave the file another identity and removed its registry: restore it from a backup
                """)
    }

    private static func unknown(_ keys: FieldKeys) -> LockstepError {
        LockstepError(
            .registryMissing,
            "the fields keyring of the dataset \(title(keys)) remembers other databases, but not this one",
            advice: """
                if this is another database of the dataset, add it with \(.acceptSealed); otherwise somebody \
                replaced the registry: restore the database from a backup
                """)
    }

    private static func older(
        _ keys: FieldKeys, _ changes: UInt64, _ minimum: UInt64
    ) -> LockstepError {
        LockstepError(
            .registryOlder,
            "the file's registry of the dataset \(title(keys)) is older than before: it has "
                + "\(counted(Int(clamping: changes), "change")), and had \(minimum) when last seen",
            advice: """
                somebody put an older state back; if you did, by restoring a backup, accept it with \
                \(.acceptSealed)
                """)
    }

    private static var other: LockstepError { RegistryTables.forged("is that of another database") }

    static var diverged: LockstepError {
        RegistryTables.forged("has a different history from the one that the fields keyring remembers")
    }

    private static func forgotten(_ keys: FieldKeys, _ changes: UInt64) -> LockstepError {
        LockstepError(
            .registryOlder,
            "the file's registry of the dataset \(title(keys)) no longer says whether it came from change \(changes), "
                + "which was seen last",
            advice: """
                if it is the right one, changed very often since, accept it with \(.acceptSealed); otherwise somebody put \
                another state there
                """)
    }
}
