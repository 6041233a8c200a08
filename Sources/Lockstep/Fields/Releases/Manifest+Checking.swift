extension Manifest {
    /// Compares the database with its publisher's signed manifest. This needs no field key, only the publisher's public
    /// key from a trusted source. It reads the tables with sealed columns once.
    ///
    /// ``ManifestReport/Outcome/compared`` lists what was compared and what was not. A manifest of version 1 covers
    /// only primary keys and sealed columns. An older database that was restored as a whole is authentic;
    /// `minimum` detects it.
    /// - Parameters:
    ///   - connection: The database.
    ///   - publisher: The publisher that must have signed the manifest.
    ///   - dataset: The dataset's identifier; nil for every dataset that the database names. Anyone who can write to
    ///     the database can remove a dataset together with everything that names it, so pass the identifier if you know
    ///     it.
    ///   - minimum: The number of the newest release seen so far.
    ///   - progress: Called with the number of read rows of each table, several times per second.
    /// - Throws: SQLite's errors, such as ``LockstepError/Code/damaged``; ``LockstepError/Code/foreignSchema`` if a
    ///   released table has two columns of one name; ``LockstepError/Code/decodeMismatch`` if a name in the schema is
    ///   not UTF-8; `CancellationError`; any error from `progress`. Everything that contradicts the release is a
    ///   finding in the report.
    public static func check(
        _ connection: borrowing Connection, publisher: Publisher, dataset: [UInt8]? = nil,
        minimum: UInt64 = 1, progress: JobProgress.Handler = { _ in }
    ) throws -> ManifestReport {
        let time = JobTime()
        return try connection.read { connection in
            let datasets = try dataset.map { [$0] } ?? ReleaseComparison.datasets(connection)
            let check = ReleaseComparison(publisher: publisher, minimum: minimum)
            var outcomes: [ManifestReport.Outcome] = []
            for dataset in datasets {
                outcomes.append(try check.run(dataset, connection, progress))
            }
            if outcomes.isEmpty {
                outcomes = [ManifestReport.Outcome(dataset: nil, findings: [.missing])]
            }
            return ManifestReport(outcomes: outcomes, time: time.ended())
        }
    }
}

/// The checks of one dataset, in the open snapshot. An attacker might have written anything in the database that the
/// publisher's signature does not cover.
private struct ReleaseComparison {
    let publisher: Publisher
    let minimum: UInt64

    /// All datasets that the database names in any table.
    static func datasets(_ connection: borrowing Connection) throws -> [[UInt8]] {
        var datasets = Set(try ManifestTable.datasets(connection))
        if try EngineTables.exists(EngineTables.datasets, connection) {
            datasets.formUnion(
                try connection.query(
                    "SELECT dataset FROM main.lockstep_dataset WHERE typeof(dataset) = 'blob'"
                ) { row in try row[0] })
        }
        return datasets.sorted { $0.lexicographicallyPrecedes($1) }
    }

    func run(
        _ dataset: [UInt8], _ connection: borrowing Connection, _ progress: JobProgress.Handler
    ) throws -> ManifestReport.Outcome {
        var outcome = ManifestReport.Outcome(dataset: dataset)
        guard let text = try ManifestTable.text(of: dataset, connection) else {
            outcome.findings = [.missing]
            return outcome
        }
        let manifest: Manifest
        do throws(LockstepError) {
            manifest = try ManifestParser.parse(text)
        } catch {
            guard error.code == .manifestMalformed else { throw error }
            outcome.findings = [.malformed(error.message)]
            return outcome
        }
        if let flaw = try flaw(manifest, dataset) {
            outcome.findings = [flaw]
            return outcome
        }
        outcome.manifest = manifest
        if manifest.number < minimum {
            outcome.findings.append(.outdated(number: manifest.number, minimum: minimum))
        }
        if let finding = try registryFinding(manifest, connection) {
            outcome.findings.append(finding)
        }
        let definitions =
            manifest.version == .first ? nil : try ManifestDefinition.all(connection)
        var compared = ManifestReport.Comparison(notCompared: manifest.notCovered)
        if let released = manifest.schema, let definitions {
            let found = try ManifestSchema(definitions, tables: manifest.tables.map(\.name))
            compared.definitionCount = found.count
            if found != released {
                outcome.findings.append(.schemaChanged(definitions: found.count, released: released.count))
            }
        }
        for table in manifest.tables {
            let check = TableComparison(released: table, definitions: definitions)
            let (findings, seen) = try check.run(connection, progress)
            outcome.findings += findings
            if let seen { compared.tables.append(seen) }
        }
        outcome.compared = compared
        return outcome
    }

    /// The reason why the manifest counts for nothing.
    private func flaw(
        _ manifest: Manifest, _ dataset: [UInt8]
    ) throws(LockstepError) -> ManifestReport.Finding? {
        guard manifest.publisher == publisher else { return .foreignPublisher(manifest.publisher) }
        guard try manifest.isSigned() else { return .forged }
        return manifest.dataset == dataset ? nil : .otherDataset
    }

    private func registryFinding(
        _ manifest: Manifest, _ connection: borrowing Connection
    ) throws -> ManifestReport.Finding? {
        guard let mark = try RegistryMark(manifest.dataset, connection) else {
            return .registryMissing
        }
        let released = manifest.registryChanges
        if mark.changes < released {
            return .registryOlder(changes: mark.changes, released: released)
        }
        if mark.changes > released {
            return .registryNewer(changes: mark.changes, released: released)
        }
        // The MAC authenticates the columns to a reader with a field key. For other readers, the columns must equal the
        // signed ones.
        let isSame = ConstantTime.equal(mark.code.span, manifest.registryCode.span)
        let isClaimed = try claimed(manifest, connection) && claimedTokens(manifest, connection)
        return isSame && isClaimed ? nil : .registryOther
    }

    /// Whether the registry's sealed columns are those of the release.
    private func claimed(
        _ manifest: Manifest, _ connection: borrowing Connection
    ) throws -> Bool {
        guard try EngineTables.exists(EngineTables.columns, connection) else { return false }
        // The rows can hold anything; in hexadecimal, two different rows never look the same.
        let claimed = try connection.query(
            """
            SELECT lower(hex(id) || '.' || hex(state) || '.' || hex(lower(table_name)) || '.'
                || hex(lower(name)))
            FROM main.lockstep_column WHERE dataset = ? AND state IS NOT 'plaintext' ORDER BY id
            """, manifest.dataset
        ) { row in try row[0] as String }
        let columns = manifest.tables.flatMap { table in
            table.columns.map { (id: $0.id, table: table.name, name: $0.name) }
        }
        let expected = columns.sorted { $0.id < $1.id }.map { column in
            ["\(column.id)", "sealed", column.table.asciiLowercased, column.name.asciiLowercased]
                .map { Hex.encode(Array($0.utf8)) }.joined(separator: ".")
        }
        return claimed == expected
    }

    /// Whether the registry's blind indexes are those of the release. Version 1 does not cover them.
    private func claimedTokens(
        _ manifest: Manifest, _ connection: borrowing Connection
    ) throws -> Bool {
        if manifest.version == .first { return true }
        let tokens = manifest.tables.flatMap(\.tokens)
        guard try EngineTables.exists(EngineTables.indexes, connection) else {
            return tokens.isEmpty
        }
        let claimed = try connection.query(
            """
            SELECT lower(hex(column_id) || '.' || hex(number) || '.' || hex(lower(name)))
            FROM main.lockstep_index WHERE dataset = ? ORDER BY column_id, number
            """, manifest.dataset
        ) { row in try row[0] as String }
        let released = tokens.sorted { ($0.column, $0.number) < ($1.column, $1.number) }.map {
            ["\($0.column)", "\($0.number)", $0.name.asciiLowercased]
                .map { Hex.encode(Array($0.utf8)) }.joined(separator: ".")
        }
        return claimed == released
    }
}
