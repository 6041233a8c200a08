/// Whether a file proves what others say of its sealed columns.
///
/// What is sealed is declared by those who have the keys: the fields keyring remembers each database, the program
/// says what it relies on, and the connection remembers what it has seen. The file is held to all of them. It alone
/// decides nothing, since anyone who can open it can take out what it says.
struct SealedTrust {
    let fields: SealedFields
    let proof: SealedProof
    /// The database's id; nil for one that has none yet.
    let database: [UInt8]?

    /// - Parameter registry: What the file proves of the dataset; nil if nothing.
    /// - Throws: ``LockstepError/Code/registryMissing``, ``LockstepError/Code/registryOlder``,
    ///   ``LockstepError/Code/registryForged``.
    func require(_ registry: ColumnRegistry?, _ keys: FieldKeys) throws(LockstepError) {
        let record = keys.memory.record(of: database)
        guard let registry else {
            if proof.changes(of: keys.dataset) != nil || record != nil {
                throw Self.missing(keys, record?.columns ?? [])
            }
            guard fields.mayBeUnsealed else { throw Self.missing(keys, []) }
            proof.noteUnsealed(keys.dataset)
            return
        }
        let seen = proof.changes(of: keys.dataset) ?? 0
        guard registry.changes >= max(seen, record?.changes ?? 0) else {
            throw Self.older(keys, registry.changes, max(seen, record?.changes ?? 0))
        }
        if let record, record.changes == registry.changes, record.code != registry.code {
            throw RegistryTables.forged(
                "is another line of changes than the fields keyring remembers")
        }
        if registry.database == nil, !keys.memory.records.isEmpty {
            throw Self.unbound(keys)
        }
        // What another database of the dataset says is genuine, too, and may seal less. Those who saw the file before the
        // first column was sealed have seen which database it is.
        let isKnown =
            record != nil || keys.memory.records.isEmpty || proof.wasUnsealed(keys.dataset)
        guard isKnown || fields.mayBeUnknown else { throw Self.unknown(keys) }
        proof.note(registry.changes, of: keys.dataset)
    }

    /// Goes on only where each column that the program relies on is proven to be sealed.
    /// - Parameter proven: What the file proves of the datasets whose keys were given.
    func requireRelied(_ proven: [ColumnRegistry]) throws(LockstepError) {
        for title in fields.relied + proof.relied {
            guard !fields.keys.isEmpty else {
                throw LockstepError(
                    .keyUnavailable,
                    "the program relies on \(title) being sealed, and has no fields keyring",
                    hint: "give the keys of its dataset in ConnectionOptions.fieldKeys")
            }
            let isSealed = proven.flatMap(\.columns).contains {
                ($0.state == .sealed || $0.state == .migrating)
                    && "\($0.table).\($0.name)".asciiLowercased == title.asciiLowercased
            }
            // Before the first column is sealed there is nothing to prove.
            guard isSealed || (proven.isEmpty && fields.mayBeUnsealed) else {
                throw LockstepError(
                    .registryMissing,
                    "the program relies on \(title) being sealed, and the file does not prove that it is",
                    hint: "somebody who can open the database may have removed what it says; "
                        + "`lockstep verify --fields` shows more; restore the database from a backup"
                )
            }
        }
    }

    /// How messages call a dataset.
    static func title(_ keys: FieldKeys) -> String {
        keys.name ?? "\(Hex.encode(keys.dataset.prefix(4)))…"
    }

    private static func missing(
        _ keys: FieldKeys, _ columns: [SealedRecord.Column]
    ) -> LockstepError {
        let known =
            columns.isEmpty
            ? ""
            : ", and the fields keyring says that it seals \(columns.map(\.title).joined(separator: ", "))"
        return LockstepError(
            .registryMissing,
            "the file proves nothing of the dataset \(title(keys))\(known)",
            hint: columns.isEmpty
                ? "if nothing was ever sealed in it, `lockstep migrate` or `lockstep seal` comes first; "
                    + "if something was, somebody removed it: restore the database from a backup"
                : "somebody who can open the database removed what it says; `lockstep verify --fields` shows "
                    + "more; restore the database from a backup")
    }

    private static func unknown(_ keys: FieldKeys) -> LockstepError {
        LockstepError(
            .registryMissing,
            "the fields keyring of the dataset \(title(keys)) remembers other databases, and not this one",
            hint:
                "if it is another database of the dataset, `lockstep keys accept-database` adds it; "
                + "else somebody exchanged what the file says: restore the database from a backup")
    }

    private static func older(
        _ keys: FieldKeys, _ changes: UInt64, _ minimum: UInt64
    ) -> LockstepError {
        LockstepError(
            .registryOlder,
            "what the file says of the dataset \(title(keys)) is older than it was: it had been changed "
                + "\(changes) times, and \(minimum) times when it was last seen",
            hint: "somebody put an older state back; if that was you, with a backup, "
                + "`lockstep keys accept-database` takes it as it is")
    }

    private static func unbound(_ keys: FieldKeys) -> LockstepError {
        LockstepError(
            .registryOlder,
            "what the file says of the dataset \(title(keys)) is in the first format, which names no database, "
                + "and the fields keyring remembers newer ones",
            hint:
                "if it is another database from before, `lockstep keys accept-database` takes it as it is; "
                + "else somebody put an older state back")
    }
}
