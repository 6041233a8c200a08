/// The rows that describe a dataset's registry of sealed columns, as every engine stores them: RegistryTables.swift
/// lists their fields. Nothing is proven by reading them.
package struct RegistryRecords: Sendable, Equatable {
    /// The row of `lockstep_dataset`.
    package struct DatasetRow: Sendable, Equatable {
        package let changes: Int64
        package let keyVersion: Int64
        package let mac: [UInt8]
        package let database: [UInt8]?
        package let registry: [UInt8]?
        package let earlier: [UInt8]?
        package let folded: [UInt8]?

        package init(
            changes: Int64, keyVersion: Int64, mac: [UInt8], database: [UInt8]?, registry: [UInt8]?, earlier: [UInt8]?,
            folded: [UInt8]?
        ) {
            (self.changes, self.keyVersion, self.mac) = (changes, keyVersion, mac)
            (self.database, self.registry) = (database, registry)
            (self.earlier, self.folded) = (earlier, folded)
        }
    }

    /// A row of `lockstep_column`.
    package struct ColumnRow: Sendable, Equatable {
        package let id: Int64
        @Exact package private(set) var table: String
        @Exact package private(set) var name: String
        @Exact package private(set) var mode: String
        package let padding: Int64
        @Exact package private(set) var state: String
        package let cursor: Int64?
        package let mac: [UInt8]
        @Exact package private(set) var rowKey: String?
        package let identity: [UInt8]?

        package init(
            id: Int64, table: String, name: String, mode: String, padding: Int64, state: String,
            cursor: Int64?, mac: [UInt8], rowKey: String?, identity: [UInt8]?
        ) {
            (self.id, self.table, self.name) = (id, table, name)
            (self.mode, self.padding, self.state) = (mode, padding, state)
            (self.cursor, self.mac) = (cursor, mac)
            (self.rowKey, self.identity) = (rowKey, identity)
        }
    }

    /// A row of `lockstep_index`.
    package struct IndexRow: Sendable, Equatable {
        package let column: Int64
        package let number: Int64
        @Exact package private(set) var name: String
        @Exact package private(set) var normaliser: String
        package let bits: Int64
        package let keyVersion: Int64
        package let commitment: [UInt8]
        package let mac: [UInt8]

        package init(
            column: Int64, number: Int64, name: String, normaliser: String, bits: Int64,
            keyVersion: Int64, commitment: [UInt8], mac: [UInt8]
        ) {
            (self.column, self.number, self.name) = (column, number, name)
            (self.normaliser, self.bits, self.keyVersion) = (normaliser, bits, keyVersion)
            (self.commitment, self.mac) = (commitment, mac)
        }
    }

    /// A row of `lockstep_field_key`.
    package struct FieldKeyRow: Sendable, Equatable {
        package let version: Int64
        package let commitment: [UInt8]

        package init(version: Int64, commitment: [UInt8]) {
            (self.version, self.commitment) = (version, commitment)
        }
    }

    /// The dataset's identifier.
    package let id: [UInt8]
    package let dataset: DatasetRow
    /// In ascending order of their ids.
    package let columns: [ColumnRow]
    /// By column and number.
    package let indexes: [IndexRow]
    package let fieldKeys: [FieldKeyRow]

    package init(
        id: [UInt8], dataset: DatasetRow, columns: [ColumnRow], indexes: [IndexRow],
        fieldKeys: [FieldKeyRow]
    ) {
        (self.id, self.dataset, self.columns) = (id, dataset, columns)
        (self.indexes, self.fieldKeys) = (indexes, fieldKeys)
    }

    /// Whether they have the present format.
    package var isPresentFormat: Bool {
        dataset.database != nil && dataset.registry != nil && dataset.earlier != nil
    }

    // MARK: Checking

    /// The registry, once the keys have proven it.
    /// - Parameter keys: Those of the rows' dataset.
    /// - Throws: ``LockstepError/Code/registryForged``, ``LockstepError/Code/keyringMismatch``,
    ///   ``LockstepError/Code/keyUnavailable``.
    package func registry(_ keys: FieldKeys) throws(LockstepError) -> ColumnRegistry {
        let commitments = try commitments(keys)
        guard let earlier = dataset.earlier, isPresentFormat else { throw Self.former }
        guard let changes = UInt64(exactly: dataset.changes), changes > 0,
            let version = UInt32(exactly: dataset.keyVersion), Self.isIdentity(dataset.registry),
            Self.isIdentity(dataset.database),
            let line = RegistryLine(earlier, folded: dataset.folded, of: changes)
        else { throw Self.forged("has impossible values") }
        var columns: [SealedColumn] = []
        for column in self.columns { columns.append(try column.sealed()) }
        for index in indexes { try index.add(to: &columns, keys) }
        var registry = ColumnRegistry(
            dataset: id, identity: dataset.registry, database: dataset.database, changes: changes, line: line,
            columns: columns, commitments: commitments)
        let codes = try RegistryCodes(registry, keys, version)
        let macs = self.columns.map(\.mac)
        guard Self.equal(macs, codes.columns) else {
            throw Self.forged("has a column entry that does not authenticate")
                .adding(Self.first(columns, macs, codes.columns))
        }
        let indexMACs = indexes.map(\.mac)
        guard Self.equal(indexMACs, codes.indexes) else {
            let owners = registry.columns.flatMap { column in column.indexes.map { _ in column } }
            throw Self.forged("has a blind index entry that does not authenticate")
                .adding(Self.first(owners, indexMACs, codes.indexes))
        }
        guard ConstantTime.equal(dataset.mac.span, codes.set.span) else {
            throw Self.forged("does not authenticate as a whole")
        }
        (registry.code, registry.keyVersion) = (codes.set, version)
        return registry
    }

    /// The columns that are not plaintext, as the rows of a dataset claim without proof.
    /// - Throws: ``LockstepError/Code/registryForged`` for impossible values.
    package static func claimed(
        _ columns: [ColumnRow], _ indexes: [IndexRow]
    ) throws(LockstepError) -> [SealedColumn] {
        var claimed: [SealedColumn] = []
        for column in columns { claimed.append(try column.sealed()) }
        for index in indexes { try index.add(to: &claimed, nil) }
        return claimed.filter { $0.state != .plaintext }
    }

    private func commitments(_ keys: FieldKeys) throws(LockstepError) -> [UInt32: [UInt8]] {
        var commitments: [UInt32: [UInt8]] = [:]
        for key in fieldKeys {
            guard let version = UInt32(exactly: key.version), version > 0,
                key.commitment.count == 32
            else { throw Self.forged("has impossible values") }
            commitments[version] = key.commitment
            // An older keyring does not have the newest key.
            if let own = keys.commitment(version), own != key.commitment {
                throw Self.otherKey("field key \(version)")
            }
        }
        return commitments
    }

    fileprivate static func otherKey(_ key: String) -> LockstepError {
        LockstepError(
            .keyringMismatch, "the keyring's \(key) differs from the one in the database's registry",
            hint:
                "use this dataset's fields keyring; if you did, somebody tampered with the database"
        )
    }

    fileprivate static func isIdentity(_ bytes: [UInt8]?) -> Bool {
        bytes?.count ?? CellOwner.identityLength == CellOwner.identityLength
    }

    private static func equal(_ some: [[UInt8]], _ others: [[UInt8]]) -> Bool {
        some.count == others.count && zip(some, others).allSatisfy { ConstantTime.equal($0.span, $1.span) }
    }

    /// The context of the first column whose MAC is not the expected one.
    private static func first(
        _ columns: [SealedColumn], _ found: [[UInt8]], _ expected: [[UInt8]]
    ) -> LockstepError.Context {
        zip(columns, zip(found, expected)).first { $1.0 != $1.1 }?.0.context ?? .init()
    }

    private static var former: LockstepError {
        LockstepError(
            .registryForged, "the database's registry of sealed columns is not in format 4: an earlier build wrote it",
            hint: "seal the columns again in a new database; if this build wrote it, somebody has changed it since")
    }

    package static func forged(_ what: String) -> LockstepError {
        LockstepError(
            .registryForged, "the database's registry of sealed columns \(what)",
            hint:
                "somebody changed it without the fields keyring; restore the database from a backup"
        )
    }
}

extension RegistryRecords.ColumnRow {
    /// - Throws: ``LockstepError/Code/registryForged``.
    fileprivate func sealed() throws(LockstepError) -> SealedColumn {
        guard let id = UInt32(exactly: id), id > 0, let mode = SealedColumn.Mode(rawValue: mode),
            let unit = Int(exactly: padding), let padding = CellPadding(unit: unit),
            let state = SealedColumn.State(rawValue: state)
        else { throw RegistryRecords.forged("has impossible values") }
        let key = rowKey.flatMap(SealedRowKey.init)
        guard key?.spelling == rowKey, RegistryRecords.isIdentity(identity), state != .resealing || identity != nil
        else { throw RegistryRecords.forged("has impossible values") }
        return SealedColumn(
            id: id, identity: identity, table: table, name: name, mode: mode, padding: padding,
            state: state, cursor: cursor, rowKey: key)
    }
}

extension RegistryRecords.IndexRow {
    /// - Parameter keys: What its key must be one of; nil to take it without proof.
    /// - Throws: ``LockstepError/Code/registryForged``, ``LockstepError/Code/keyringMismatch``.
    fileprivate func add(
        to columns: inout [SealedColumn], _ keys: FieldKeys?
    ) throws(LockstepError) {
        guard let place = columns.firstIndex(where: { Int64($0.id) == column }), let number = UInt32(exactly: number),
            let version = UInt32(exactly: keyVersion), let bits = Int(exactly: bits)
        else { throw RegistryRecords.forged("has impossible values") }
        let index: BlindIndex
        do {
            index = try BlindIndex(
                column: columns[place].id, identity: columns[place].indexIdentity, number: number,
                [Normaliser(normaliser)], bits: bits, keyVersion: version)
        } catch {
            throw RegistryRecords.forged("has impossible values: \(error.message)")
        }
        if let own = keys?.indexCommitment(version), own != commitment {
            throw RegistryRecords.otherKey("index key \(version)")
        }
        columns[place].indexes.append(SealedIndex(index: index, name: name))
    }
}
