/// The datasets whose sealed columns connections open, and what these connections require of the file.
package final class SealedFields: ConnectionExtension {
    let keys: [FieldKeys]
    /// Whether connections get readable views.
    let hasViews: Bool
    /// The columns that the program relies on being sealed, as `table.column`.
    let relied: [String]
    /// Whether a file may have no registry of a dataset, because nothing was ever sealed in it.
    let mayBeUnsealed: Bool
    /// Whether a person says that the file is new to keyrings that remember others, or the process has made it.
    let firstTime: Bool
    /// Whether a file may be one that its keyrings do not remember although they remember others: for procedures that
    /// have already checked the file against its keyrings, and for those whose migration set declares the sealed
    /// columns.
    let mayBeUnknown: Bool
    /// The proof that the connections of one store share; nil if each connection has its own.
    let proof: SealedProof?

    package init(
        _ keys: [FieldKeys], hasViews: Bool = true, relied: [String] = [],
        mayBeUnsealed: Bool = false, firstTime: Bool = false, mayBeUnknown: Bool = false, proof: SealedProof? = nil
    ) {
        self.keys = keys
        self.hasViews = hasViews
        self.relied = relied
        self.mayBeUnsealed = mayBeUnsealed || firstTime
        self.firstTime = firstTime
        self.mayBeUnknown = mayBeUnknown
        self.proof = proof
    }

    func attach(to connection: borrowing Connection) throws -> any ConnectionAttachment {
        try SealedAttachment(self, connection)
    }

    func migrating(isChecked: Bool) -> any ConnectionExtension {
        SealedFields(
            keys, hasViews: hasViews, relied: relied, mayBeUnsealed: true, firstTime: firstTime || isChecked,
            mayBeUnknown: mayBeUnknown || isChecked, proof: proof)
    }

    func shared(isNew: Bool) -> any ConnectionExtension {
        SealedFields(
            keys, hasViews: hasViews, relied: relied, mayBeUnsealed: mayBeUnsealed, firstTime: firstTime || isNew,
            mayBeUnknown: mayBeUnknown, proof: SealedProof())
    }

    /// A copy with other parts; nil if it would have no effect.
    fileprivate func with(
        keys: [FieldKeys]? = nil, relied: [String]? = nil, mayBeUnsealed: Bool? = nil, firstTime: Bool? = nil,
        mayBeUnknown: Bool? = nil
    ) -> SealedFields? {
        let fields = SealedFields(
            keys ?? self.keys, hasViews: hasViews, relied: relied ?? self.relied,
            mayBeUnsealed: mayBeUnsealed ?? self.mayBeUnsealed, firstTime: firstTime ?? self.firstTime,
            mayBeUnknown: mayBeUnknown ?? self.mayBeUnknown)
        let isIdle = fields.keys.isEmpty && fields.relied.isEmpty && !fields.mayBeUnsealed && !fields.mayBeUnknown
        return isIdle ? nil : fields
    }
}

extension ConnectionOptions {
    private var fields: SealedFields {
        (addition as? SealedFields) ?? SealedFields([])
    }

    /// The keys of datasets whose sealed columns the connection reads and writes; none by default.
    ///
    /// For each table with sealed columns, such as `movie`, the connection has a view `movie_open` with the same
    /// columns, which accepts INSERT, UPDATE and DELETE. Reading through it opens values, and writing through it seals
    /// them. For single cells there are ``Connection/opening(_:of:cell:key:)`` and
    /// ``Connection/sealing(_:of:value:key:)``. The table itself shows cells to everyone. A BLOB over 16 MiB is too
    /// long for SQL: ``Connection/withSealedBlob(_:_:)`` reads it, and a statement on the view fails when it reads one.
    ///
    /// The file must have an authentic registry of each of these datasets, not older than the one that the keyring
    /// remembers (``FieldKeys/memory``); otherwise it does not open. A file without a registry is refused unless
    /// ``mayBeUnsealed`` allows it. A keyring that remembers databases refuses a file of the dataset that is not one of
    /// them: `lockstep keys accept-database`, or ``KeyringFile/accept(_:sealedIn:)``, adds it. Without these checks,
    /// anyone who can open the database could remove the registry, and the program would write plaintext.
    ///
    /// Opening such a connection reads and checks the registries, which takes some 0.2 ms; each transaction checks
    /// whether they have changed, which takes 0.5 µs.
    public var fieldKeys: [FieldKeys] {
        get { fields.keys }
        set { addition = fields.with(keys: newValue) }
    }

    /// The columns that the program relies on being sealed, as `table.column`; none by default.
    ///
    /// A file that does not prove this for each of them is refused with ``LockstepError/Code/registryMissing``, or with
    /// ``LockstepError/Code/keyUnavailable`` without the keys of their dataset: for a program that would rather fail
    /// than write plaintext. The check costs nothing measurable.
    public var sealed: [String] {
        get { fields.relied }
        set { addition = fields.with(relied: newValue) }
    }

    /// Whether a file may have no registry of the datasets in ``fieldKeys``; false by default.
    ///
    /// Set it before the first column is sealed: for `protect`, and for migrations that seal. It weakens no other
    /// check: an existing registry is still verified, and a database that the keyring remembers is still refused
    /// without one, as is one that a keyring does not remember which remembers others; see ``firstTime``. A database
    /// that the connection itself creates may always be unsealed. Once the first column is
    /// sealed, ``KeyringFile/remember(_:sealedIn:)`` on the same connection makes the keyring remember the database.
    public var mayBeUnsealed: Bool {
        get { fields.mayBeUnsealed }
        set { addition = fields.with(mayBeUnsealed: newValue) }
    }

    /// Whether the file is new to fields keyrings that remember other databases, and not this one; false by default.
    ///
    /// Nothing but a person, or the program that has made the file, can know that: the file says itself which database
    /// it is, and anyone who has a slot of the database's keyring can list it there. So set it for one opening, with a
    /// file of which you know where it comes from. The file has no sealed columns yet, which ``mayBeUnsealed`` need not
    /// say then; or it is a fork, with the registry of the database that it was forked from, not older than the keyring
    /// remembers. Any other registry that the keyring does not remember is refused still. It changes nothing for a
    /// keyring that remembers no database, or this one.
    public var firstTime: Bool {
        get { fields.firstTime }
        set { addition = fields.with(firstTime: newValue) }
    }

    /// Whether a file may be one that the keyrings do not remember although they remember others: for procedures that
    /// have already checked it against its keyrings, and for those whose migration set declares the sealed columns.
    package var mayBeUnknown: Bool {
        get { fields.mayBeUnknown }
        set { addition = fields.with(mayBeUnknown: newValue) }
    }
}

extension StoreOptions {
    /// The columns that the program relies on being sealed: see ``ConnectionOptions/sealed``.
    public var sealed: [String] {
        get { connection.sealed }
        set { connection.sealed = newValue }
    }
}

extension Connection {
    /// This connection's sealed columns; nil without fields keyrings.
    var sealed: SealedAttachment? { core.attachment.state as? SealedAttachment }
}
