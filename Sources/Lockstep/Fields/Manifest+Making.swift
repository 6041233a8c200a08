extension Manifest {
    /// Makes the manifest of a release of the dataset as the database holds it now, signed by its publisher, and
    /// stores it in the database, where it takes the place of the one before. Others do not write meanwhile: it
    /// takes about as long as reading the tables with sealed columns.
    ///
    /// Whatever is written to sealed columns afterwards needs another release.
    /// - Parameters:
    ///   - keyring: The publisher's fields keyring of the dataset.
    ///   - number: The release's; one more than that of the manifest that stands there, if nil.
    ///   - replacingForeign: Whether a manifest may be replaced that is none, or that none of the keyring's
    ///     manifest keys has signed. Its number then counts for nothing.
    /// - Throws: ``LockstepError/Code/releaseConflict`` if the number is not greater than that of the manifest
    ///   that stands there; ``LockstepError/Code/signatureInvalid`` if that one is not the publisher's;
    ///   ``LockstepError/Code/keyringMismatch`` for a keyring that cannot sign;
    ///   ``LockstepError/Code/misuse`` if no column is sealed, or one is on its way;
    ///   ``LockstepError/Code/cellMalformed`` where a sealed column holds something else than cells;
    ///   ``LockstepError/Code/registryForged``.
    @discardableResult
    public static func make(
        _ keyring: borrowing Keyring, in connection: borrowing Connection, number: UInt64? = nil,
        replacingForeign: Bool = false, today: CalendarDay = .today
    ) throws -> Manifest {
        let signer = try keyring.signingKey()
        let keys = try keyring.fieldKeys()
        let signers = try keyring.publishers()
        return try connection.with(rights: .engine) {
            try connection.write { connection in
                let last = try lastNumber(
                    keys.dataset, signers, replacingForeign: replacingForeign, connection)
                let statement = try Statement(
                    dataset: keys.dataset, number: next(number, after: last), day: today,
                    keys, connection)
                let manifest = Manifest(statement, try signer.line(over: statement.text))
                guard statement.text.count + SignatureLine.length <= largest else {
                    throw LockstepError(
                        .tooLarge, "the dataset has too many columns for a manifest")
                }
                try ManifestTable.write(manifest, connection)
                return manifest
            }
        }
    }

    private static func next(_ number: UInt64?, after last: UInt64) throws(LockstepError) -> UInt64
    {
        let (usual, _) = last.addingReportingOverflow(1)
        let number = number ?? usual
        guard number > last, number <= UInt64(Int64.max) else {
            throw LockstepError(
                .releaseConflict, "release \(number) does not follow release \(last)",
                hint:
                    "a release's number is greater than that of the one before, so that readers can "
                    + "tell which is newer")
        }
        return number
    }

    /// The number of the release that the database carries; 0 without one.
    private static func lastNumber(
        _ dataset: [UInt8], _ signers: [Publisher], replacingForeign: Bool,
        _ connection: borrowing Connection
    ) throws -> UInt64 {
        guard let text = try ManifestTable.text(of: dataset, connection) else { return 0 }
        let manifest = try? ManifestParser.parse(text)
        if let manifest, manifest.dataset == dataset, signers.contains(manifest.publisher),
            try manifest.isSigned()
        {
            return manifest.number
        }
        guard replacingForeign else {
            throw LockstepError(
                .signatureInvalid,
                "the database carries a manifest of this dataset that its publisher has not signed",
                hint: "find out who put it there; then release with --replace-foreign")
        }
        return 0
    }
}

extension Manifest.Statement {
    fileprivate init(
        dataset: [UInt8], number: UInt64, day: CalendarDay, _ keys: FieldKeys,
        _ connection: borrowing Connection
    ) throws {
        self.dataset = dataset
        self.number = number
        self.day = day
        guard let registry = try RegistryTables.read(keys, connection),
            let mark = try RegistryMark(dataset, connection)
        else { throw Self.nothingSealed }
        registryChanges = mark.changes
        registryCode = mark.code
        let columns = registry.columns.filter { $0.state != .plaintext && !$0.name.isEmpty }
        if let moving = columns.first(where: { $0.state != .sealed }) {
            throw LockstepError(
                .misuse, "\(moving.table).\(moving.name) is \(moving.state.rawValue)",
                hint: "finish that first: a release has columns that are sealed")
        }
        guard !columns.isEmpty else { throw Self.nothingSealed }
        tables = try Dictionary(grouping: columns, by: \.table.asciiLowercased).values
            .map { try Self.table($0, connection) }
            .sorted { ExactText($0.name) < ExactText($1.name) }
    }

    private static let nothingSealed = LockstepError(
        .misuse, "the database has no sealed column of this dataset",
        hint: "give the keyring of the dataset that the database holds")

    private static func table(
        _ columns: [SealedColumn], _ connection: borrowing Connection
    ) throws -> Manifest.Table {
        let title = columns.first?.table ?? ""
        guard let shape = try SealedTable(title, connection),
            columns.allSatisfy({ shape.column($0.name) != nil })
        else {
            throw LockstepError(
                .registryForged, "\(title) is said to hold sealed columns, and does not",
                hint: "it was changed without the fields keyring; undo that")
        }
        let names = columns.map(\.name)
        let rows = try ManifestRows(shape, columns: names, connection) { column, isCell in
            guard isCell else {
                throw LockstepError(
                    .cellMalformed, "a row of \(title) holds no sealed value in \(names[column])",
                    hint: "write it through the table's view, then release")
            }
        }
        return Manifest.Table(
            name: shape.name, key: shape.key.columns.map(\.name),
            columns: columns.map { Manifest.Table.Column(id: $0.id, name: $0.name) }, rows: rows)
    }
}
