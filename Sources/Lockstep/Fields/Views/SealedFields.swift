/// The datasets whose sealed columns connections open, and what these connections take for granted of the file.
final class SealedFields: ConnectionExtension {
    let keys: [FieldKeys]
    /// Whether connections get readable views.
    let hasViews: Bool
    /// The columns that the program relies on being sealed, as `table.column`.
    let relied: [String]
    /// Whether a file may prove nothing of a dataset, since nothing of it was ever sealed there.
    let mayBeUnsealed: Bool
    /// Whether a file may prove columns that no keyring remembers which remembers other databases: for procedures that
    /// have held the file to its keyrings before, and for those whose migration set says what has to be sealed.
    let mayBeUnknown: Bool
    /// What the connections of one store have seen proven; nil where each connection stands alone.
    let proof: SealedProof?

    init(
        _ keys: [FieldKeys], hasViews: Bool = true, relied: [String] = [],
        mayBeUnsealed: Bool = false, mayBeUnknown: Bool = false, proof: SealedProof? = nil
    ) {
        self.keys = keys
        self.hasViews = hasViews
        self.relied = relied
        self.mayBeUnsealed = mayBeUnsealed
        self.mayBeUnknown = mayBeUnknown
        self.proof = proof
    }

    func attach(to connection: borrowing Connection) throws -> any ConnectionAttachment {
        try SealedAttachment(self, connection)
    }

    func migrating(isChecked: Bool) -> any ConnectionExtension {
        SealedFields(
            keys, hasViews: hasViews, relied: relied, mayBeUnsealed: true,
            mayBeUnknown: mayBeUnknown || isChecked, proof: proof)
    }

    func shared(isNew: Bool) -> any ConnectionExtension {
        SealedFields(
            keys, hasViews: hasViews, relied: relied, mayBeUnsealed: mayBeUnsealed || isNew,
            mayBeUnknown: mayBeUnknown, proof: SealedProof())
    }

    /// The same with other parts; nil where nothing is left to say.
    fileprivate func with(
        keys: [FieldKeys]? = nil, relied: [String]? = nil, mayBeUnsealed: Bool? = nil,
        mayBeUnknown: Bool? = nil
    ) -> SealedFields? {
        let fields = SealedFields(
            keys ?? self.keys, hasViews: hasViews, relied: relied ?? self.relied,
            mayBeUnsealed: mayBeUnsealed ?? self.mayBeUnsealed,
            mayBeUnknown: mayBeUnknown ?? self.mayBeUnknown)
        let isIdle =
            fields.keys.isEmpty && fields.relied.isEmpty && !fields.mayBeUnsealed
            && !fields.mayBeUnknown
        return isIdle ? nil : fields
    }
}

extension ConnectionOptions {
    private var fields: SealedFields {
        (addition as? SealedFields) ?? SealedFields([])
    }

    /// The keys of datasets whose sealed columns the connection reads and writes; none unless said otherwise.
    ///
    /// For each table with sealed columns, such as `movie`, the connection has a view `movie_open` of the same
    /// columns, which takes INSERT, UPDATE and DELETE. What is read through it is opened, and what is written
    /// is sealed. For single cells there are ``Connection/opening(_:of:cell:key:)`` and
    /// ``Connection/sealing(_:of:value:key:)``. The table itself holds cells, for everybody. A BLOB over 16 MiB is too long
    /// for SQL: ``Connection/withSealedBlob(_:_:)`` reads it, and a statement on the view that comes across it fails.
    ///
    /// The file has to prove each of these datasets: it opens only if what it says of their columns is authentic, and
    /// not older than what the keyring remembers (``FieldKeys/memory``). A file that proves nothing is refused unless
    /// ``mayBeUnsealed`` says that this may be. A keyring that remembers databases refuses a file of the dataset that is
    /// none of them: `lockstep keys accept-database`, or ``KeyringFile/accept(_:sealedIn:)``, adds it. Anyone who can
    /// open the database could otherwise take out what it says, and the program would write plaintext.
    ///
    /// Opening such a connection reads and checks what the database says of the datasets, some 0.2 ms; each
    /// transaction looks whether that has changed, 0.5 µs.
    public var fieldKeys: [FieldKeys] {
        get { fields.keys }
        set { addition = fields.with(keys: newValue) }
    }

    /// The columns that the program relies on being sealed, as `table.column`; none unless said otherwise.
    ///
    /// A file that does not prove it for each of them is refused with ``LockstepError/Code/registryMissing``, and without
    /// the keys of their dataset with ``LockstepError/Code/keyUnavailable``: for a program that would rather not run
    /// than write plaintext. Costs nothing measurable.
    public var sealed: [String] {
        get { fields.relied }
        set { addition = fields.with(relied: newValue) }
    }

    /// Whether a file may prove nothing of the datasets in ``fieldKeys``: false unless said otherwise.
    ///
    /// True is for the first time, before a column is sealed: for `protect`, and for migrations that do so. It weakens
    /// nothing else: what the file does prove is checked, and a database that the keyring remembers is refused all the
    /// same. A database that the connection itself makes may always be unsealed. Once the first column is sealed,
    /// ``KeyringFile/remember(_:sealedIn:)`` on the same connection has the keyring remember the database.
    public var mayBeUnsealed: Bool {
        get { fields.mayBeUnsealed }
        set { addition = fields.with(mayBeUnsealed: newValue) }
    }

    /// Whether a file may be one that the keyrings do not remember though they remember others: for procedures that have
    /// held it to its keyrings before, and for those whose migration set says what has to be sealed.
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
    /// What this connection has of sealed columns; nil without fields keyrings.
    var sealed: SealedAttachment? { core.attachment as? SealedAttachment }
}
