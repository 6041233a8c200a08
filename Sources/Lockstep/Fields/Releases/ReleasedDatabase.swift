/// A database that is compared with its publisher's manifests, on either engine. Nothing in it is trusted.
package protocol ReleasedDatabase: ~Copyable {
    /// All datasets that it names in any table, in the order of their identifiers.
    func namedDatasets() throws -> [[UInt8]]

    /// The bytes of a dataset's stored manifest, of which there can be one more than the format allows; nil if there is
    /// none.
    func manifestText(of dataset: [UInt8]) throws -> [UInt8]?

    /// The state of a dataset's registry of sealed columns; nil if there is none, or its values are impossible.
    func registryMark(of dataset: [UInt8]) throws -> RegistryMark?

    /// The rows of that registry.
    /// - Throws: ``LockstepError/Code/registryForged`` for values that the engine does not write.
    func registryRecords(of dataset: [UInt8]) throws -> RegistryRecords?

    /// The schema's definitions; nil on an engine that writes other ones than manifests cover.
    func definitions() throws -> [ManifestDefinition]?

    /// Reads the rows of a released table.
    /// - Parameter isWhole: Whether the release covers all columns, and not only the key and the sealed ones.
    func rows(
        of released: Manifest.Table, isWhole: Bool, _ progress: JobProgress.Handler
    ) throws -> ReleasedRows
}

/// What a database has of a released table.
package enum ReleasedRows {
    case missing
    /// Its key or its columns are not those of the release.
    case other
    case found(ManifestRows)
}

extension Connection: ReleasedDatabase {
    package func namedDatasets() throws -> [[UInt8]] {
        var datasets = Set(try ManifestTable.datasets(self))
        if try EngineTables.exists(EngineTables.datasets, self) {
            datasets.formUnion(
                try query("SELECT dataset FROM main.lockstep_dataset WHERE typeof(dataset) = 'blob'") { row in
                    try row[0]
                })
        }
        return datasets.sorted { $0.lexicographicallyPrecedes($1) }
    }

    package func manifestText(of dataset: [UInt8]) throws -> [UInt8]? { try ManifestTable.text(of: dataset, self) }

    package func registryMark(of dataset: [UInt8]) throws -> RegistryMark? { try RegistryMark(dataset, self) }

    package func registryRecords(of dataset: [UInt8]) throws -> RegistryRecords? {
        try RegistryTables.records(of: dataset, self)
    }

    package func definitions() throws -> [ManifestDefinition]? { try ManifestDefinition.all(self) }

    package func rows(
        of released: Manifest.Table, isWhole: Bool, _ progress: JobProgress.Handler
    ) throws -> ReleasedRows {
        guard let shape = try SealedTable(released.name, self) else { return .missing }
        let isSame = try released.hasColumns(
            key: shape.key.columns.map(\.name), shape, stored: isWhole ? shape.storedColumns(self) : nil)
        guard isSame else { return .other }
        return .found(
            try ManifestRows(
                shape, columns: released.columns.map(\.name), others: isWhole ? released.otherNames : nil,
                of: Int(clamping: released.rowCount), self, progress: progress))
    }
}

extension Manifest.Table {
    /// Whether a table has the key and columns of the release: at least the sealed ones, or exactly all.
    /// - Parameter stored: The columns that the table stores, if the release covers all of them.
    package func hasColumns(key found: [String], _ shape: SealedTable, stored: [SQLName]?) -> Bool {
        let key = key.map { SQLName($0) }
        guard found.map({ SQLName($0) }) == key else { return false }
        guard let stored else { return columnNames.allSatisfy { shape.column($0) != nil } }
        return Set(stored) == Set(key + (columnNames + otherNames).map { SQLName($0) })
    }
}
