internal import SystemPackage

/// The identity and the registries that a database gets in place of those of the template that it is made from.
struct NewRegistries {
    /// The keys of the datasets whose registries change; empty if none does.
    private let keys: [FieldKeys]
    /// Whether the template says which database it is: the new one must not say the same.
    private let isIdentified: Bool

    /// Looks into the open snapshot of a template.
    /// - Throws: ``LockstepError/Code/misuse`` if a sealed column has cells, ``LockstepError/Code/keyUnavailable`` if
    ///   the keys of a dataset are missing.
    init(
        of template: borrowing Connection, _ keys: [FieldKeys], _ sharesCells: Bool
    ) throws {
        isIdentified = try template.databaseID() != nil
        guard !sharesCells else {
            self.keys = []
            return
        }
        for column in try RegistryTables.claimed(template) where !column.name.isEmpty {
            try Self.requireNoCells(column, template)
        }
        let datasets = try RegistryTables.datasets(template)
        self.keys = keys.filter { datasets.contains($0.dataset) }
        guard let missing = datasets.first(where: { dataset in !keys.contains { $0.dataset == dataset } }) else {
            return
        }
        throw LockstepError(
            .keyUnavailable,
            "the template has sealed columns of the dataset \(Hex.encode(missing)), whose keys were not given",
            hint:
                "pass them in the fieldKeys of Provisioning.options: the new database gets columns of its own",
            context: .file(template.path))
    }

    private static func requireNoCells(
        _ column: SealedColumn, _ template: borrowing Connection
    ) throws {
        guard let shape = try SealedTable(column.table, template), shape.column(column.name) != nil else { return }
        let sql =
            "SELECT EXISTS (SELECT 1 FROM main.\(shape.quotedName) WHERE \(SQLTokens.quote(column.name)) IS NOT NULL)"
        guard try template.value(SQL(verbatim: sql), as: Bool.self) == true else { return }
        throw LockstepError(
            .misuse,
            "the template has values in the sealed column \(column.title), which would open in each database "
                + "that is made from it",
            hint:
                "insert them in each new database, or set Provisioning.sharesCells if the databases may share them",
            context: column.context)
    }

    /// Gives the new database an id, and the registries that change and their columns identities.
    func write(
        _ path: FilePath, _ key: borrowing DatabaseKey, _ options: ConnectionOptions
    ) throws {
        guard isIdentified || key.origin != nil || !keys.isEmpty else { return }
        var writing = options.ofSchema
        writing.isScratch = true
        // The template's registries are checked against no keyring: they are new to every one.
        writing.addition = SealedFields(
            keys.map { $0.withoutMemory() }, hasViews: false, firstTime: true, mayBeUnknown: true)
        let connection = try Connection.open(path, key: key.withoutOrigin(), options: writing)
        let id = try key.origin?.newDatabase ?? Random.bytes(KeyringTable.idLength)
        try connection.with(rights: .engine) {
            try connection.write { connection in
                var registries: [(FieldKeys, ColumnRegistry)] = []
                for keys in keys {
                    guard let registry = try RegistryTables.read(keys, connection) else { continue }
                    registries.append((keys, registry))
                }
                // No keyring knows this database yet.
                try KeyringTable.startAgain(as: id, connection)
                for (keys, var registry) in registries {
                    try registry.startAgain()
                    try RegistryTables.write(&registry, keys, connection)
                }
            }
        }
        try key.originRecord?.add(to: connection)
    }
}

extension ColumnRegistry {
    /// Takes identities of its own, as the registry of another database. No column has cells.
    fileprivate mutating func startAgain() throws(LockstepError) {
        (identity, database, changes, line) = (nil, nil, 0, RegistryLine())
        for index in columns.indices where columns[index].state != .plaintext {
            let own = try Random.bytes(CellOwner.identityLength)
            if columns[index].state == .resealing { columns[index].state = .sealed }
            columns[index].identity = own
            columns[index].cursor = nil
            columns[index].indexes = try columns[index].indexes.map { one throws(LockstepError) in
                try one.belonging(to: own)
            }
        }
    }
}
