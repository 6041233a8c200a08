extension Manifest {
    /// Makes the manifest of a release of the dataset as it is in the database now, signs it with the publisher's key,
    /// and stores it in the database in place of the previous one. Other connections cannot write meanwhile; it takes
    /// about as long as reading the tables with sealed columns.
    ///
    /// Any change to these tables, their indexes or the schema needs a new release.
    /// - Parameters:
    ///   - keyring: The publisher's fields keyring of the dataset.
    ///   - connection: The database.
    ///   - number: The release's number; if nil, the stored manifest's number plus one.
    ///   - replacingForeign: Whether to replace a stored manifest that is malformed or that none of the keyring's
    ///     manifest keys signed. Its number is then ignored.
    ///   - today: The date in the manifest.
    ///   - progress: Called with the number of read rows of each table, several times per second. If it throws, or if
    ///     the task is cancelled, the database is unchanged.
    /// - Throws: ``LockstepError/Code/releaseConflict`` if the number is not greater than the stored manifest's;
    ///   ``LockstepError/Code/signatureInvalid`` if the stored manifest is not the publisher's;
    ///   ``LockstepError/Code/keyringMismatch`` for a keyring that cannot sign; ``LockstepError/Code/misuse`` if no
    ///   column is sealed, or a column is being sealed or unsealed; ``LockstepError/Code/cellMalformed`` if a sealed
    ///   column holds something other than cells; ``LockstepError/Code/registryForged``; `CancellationError`; any error
    ///   from `progress`.
    @discardableResult
    public static func make(
        _ keyring: borrowing Keyring, in connection: borrowing Connection, number: UInt64? = nil,
        replacingForeign: Bool = false, today: CalendarDay = .today, progress: JobProgress.Handler = { _ in }
    ) throws -> Manifest {
        try make(
            keyring, .second, in: connection, number: number, replacingForeign: replacingForeign,
            today: today, progress: progress)
    }

    /// Makes a manifest in one version of the format.
    static func make(
        _ keyring: borrowing Keyring, _ version: Version, in connection: borrowing Connection, number: UInt64? = nil,
        replacingForeign: Bool = false, today: CalendarDay = .today, progress: JobProgress.Handler = { _ in }
    ) throws -> Manifest {
        let signer = try keyring.signingKey()
        let keys = try keyring.fieldKeys()
        let signers = try keyring.publishers()
        return try connection.with(rights: .engine) {
            try connection.write { connection in
                let last = try lastNumber(keys.dataset, signers, replacingForeign: replacingForeign, connection)
                let statement = try Statement(
                    version, dataset: keys.dataset, number: next(number, after: last), day: today,
                    keys, connection, progress)
                let manifest = Manifest(statement, try signer.line(over: statement.text))
                guard statement.text.count + SignatureLine.length <= largest else {
                    throw LockstepError(
                        .tooLarge, "the dataset has too many columns and indexes for a manifest",
                        hint: "a manifest can have at most \(largest / 1024) KiB; split the dataset")
                }
                try ManifestTable.write(manifest, connection)
                return manifest
            }
        }
    }

    private static func next(_ number: UInt64?, after last: UInt64) throws(LockstepError) -> UInt64 {
        let (usual, _) = last.addingReportingOverflow(1)
        let number = number ?? usual
        guard number > last, number <= UInt64(Int64.max) else {
            throw LockstepError(
                .releaseConflict, "release \(number) does not follow release \(last)",
                hint:
                    "each release needs a greater number than the one before, so that readers know "
                    + "which is newer")
        }
        return number
    }

    /// The number of the release in the database; 0 without one.
    private static func lastNumber(
        _ dataset: [UInt8], _ signers: [Publisher], replacingForeign: Bool, _ connection: borrowing Connection
    ) throws -> UInt64 {
        guard let text = try ManifestTable.text(of: dataset, connection) else { return 0 }
        let manifest = try? ManifestParser.parse(text)
        if let manifest, manifest.dataset == dataset, signers.contains(manifest.publisher), try manifest.isSigned() {
            return manifest.number
        }
        guard replacingForeign else {
            throw LockstepError(
                .signatureInvalid, "the database contains a manifest of this dataset that its publisher has not signed",
                advice: "find out who put it there; then release with \(.replaceForeignManifest)")
        }
        return 0
    }
}

extension Manifest.Statement {
    fileprivate init(
        _ version: Manifest.Version, dataset: [UInt8], number: UInt64, day: CalendarDay,
        _ keys: FieldKeys, _ connection: borrowing Connection, _ progress: JobProgress.Handler
    ) throws {
        self.version = version
        self.dataset = dataset
        self.number = number
        self.day = day
        guard let registry = try RegistryTables.read(keys, connection), let mark = try RegistryMark(dataset, connection)
        else { throw Self.nothingSealed }
        registryChanges = mark.changes
        registryCode = mark.code
        let columns = registry.columns.filter { $0.state != .plaintext && !$0.name.isEmpty }
        if let moving = columns.first(where: { $0.state != .sealed }) {
            throw LockstepError(
                .misuse, "\(moving.table).\(moving.name) is \(moving.state.rawValue)",
                hint: "finish this change first: a release needs fully sealed columns", context: moving.context)
        }
        guard !columns.isEmpty else { throw Self.nothingSealed }
        let definitions =
            version == .first ? nil : try ManifestDefinition.all(connection)
        let tables = try Dictionary(grouping: columns, by: { SQLName($0.table) }).values
            .map { try Self.table($0, definitions, connection, progress) }
            .sorted { ExactText($0.name) < ExactText($1.name) }
        self.tables = tables
        schema = try definitions.map { try ManifestSchema($0, tables: tables.map(\.name)) }
    }

    private static let nothingSealed = LockstepError(
        .misuse, "the database has no sealed column of this dataset",
        hint: "use the fields keyring of the database's dataset")

    /// - Parameter definitions: The schema's definitions, for version 2.
    private static func table(
        _ columns: [SealedColumn], _ definitions: [ManifestDefinition]?,
        _ connection: borrowing Connection, _ progress: JobProgress.Handler
    ) throws -> Manifest.Table {
        let title = columns.first?.table ?? ""
        guard let shape = try SealedTable(title, connection), columns.allSatisfy({ shape.column($0.name) != nil })
        else {
            throw LockstepError(
                .registryForged, "the registry names sealed columns of \(title) that do not exist",
                hint: "somebody changed the schema without the fields keyring; undo that change",
                context: .init(table: title))
        }
        let names = columns.map(\.name)
        let sides = try definitions.map { try Sides(columns, shape, $0, connection) }
        let rows = try ManifestRows(
            shape, columns: names, others: sides?.names, connection, progress: progress
        ) { column, isCell in
            guard isCell else {
                throw LockstepError(
                    .cellMalformed, "a row of \(title) has an unsealed value in \(names[column])",
                    hint: "write it through the table's readable view, then make the release",
                    context: .init(table: title, column: names[column]))
            }
        }
        return Manifest.Table(
            name: shape.name, key: shape.key.columns.map(\.name),
            columns: columns.map { Manifest.Table.Column(id: $0.id, name: $0.name) }, tokens: sides?.tokens ?? [],
            plainColumnNames: sides?.plain ?? [], indexes: sides?.indexes ?? [], rows: rows)
    }
}

/// The parts of a table that version 2 covers in addition to its key and its sealed columns.
private struct Sides {
    let tokens: [Manifest.Table.Token]
    let plain: [String]
    let indexes: [Manifest.Table.Index]

    var names: [String] { tokens.map(\.name) + plain }

    init(
        _ columns: [SealedColumn], _ shape: SealedTable, _ definitions: [ManifestDefinition],
        _ connection: borrowing Connection
    ) throws {
        tokens = columns.flatMap { column in
            column.indexes.map {
                Manifest.Table.Token(column: column.id, number: $0.index.number, name: $0.name)
            }
        }
        let stored = try shape.storedColumns(connection)
        let known = Set(
            (shape.key.columns.map(\.name) + columns.map(\.name) + tokens.map(\.name))
                .map { SQLName($0) })
        guard known.isSubset(of: stored) else {
            throw LockstepError(
                .registryForged, "\(shape.name) lacks the token column of a blind index",
                hint: "somebody changed the schema without the fields keyring; undo that change",
                context: .init(table: shape.name))
        }
        plain = stored.filter { !known.contains($0) }.map(\.spelling)
            .sorted { ExactText($0) < ExactText($1) }
        indexes = definitions.filter { $0.isIndex(of: shape.name) }
            .map { Manifest.Table.Index(name: $0.name, digest: $0.digest) }
            .sorted { ExactText($0.name) < ExactText($1.name) }
    }
}

extension SealedTable {
    /// The names of the columns with stored values: all but VIRTUAL generated columns.
    func storedColumns(_ connection: borrowing Connection) throws -> [SQLName] {
        try connection.query("SELECT name FROM pragma_table_xinfo(?, 'main') WHERE hidden IN (0, 3) ORDER BY cid", name)
        { row in try row[0] }
    }
}
