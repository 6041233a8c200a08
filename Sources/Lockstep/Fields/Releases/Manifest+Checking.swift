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
        try connection.read { connection in
            try ReleaseComparison(publisher: publisher, minimum: minimum).run(dataset, connection, progress)
        }
    }
}

/// The comparison of a database, in the open snapshot, with its publisher's manifests. An attacker might have written
/// anything in it that the publisher's signature does not cover.
package struct ReleaseComparison {
    private let publisher: Publisher
    private let minimum: UInt64

    package init(publisher: Publisher, minimum: UInt64 = 1) {
        (self.publisher, self.minimum) = (publisher, minimum)
    }

    /// - Parameter dataset: Its identifier; nil for every dataset that the database names.
    package func run(
        _ dataset: [UInt8]?, _ database: borrowing some ReleasedDatabase & ~Copyable, _ progress: JobProgress.Handler
    ) throws -> ManifestReport {
        let time = JobTime()
        var outcomes: [ManifestReport.Outcome] = []
        for dataset in try dataset.map({ [$0] }) ?? database.namedDatasets() {
            outcomes.append(try outcome(dataset, database, progress))
        }
        if outcomes.isEmpty { outcomes = [ManifestReport.Outcome(dataset: nil, findings: [.missing])] }
        return ManifestReport(outcomes: outcomes, time: time.ended())
    }

    private func outcome(
        _ dataset: [UInt8], _ database: borrowing some ReleasedDatabase & ~Copyable, _ progress: JobProgress.Handler
    ) throws -> ManifestReport.Outcome {
        var outcome = ManifestReport.Outcome(dataset: dataset)
        guard let text = try database.manifestText(of: dataset) else {
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
        if let finding = try registryFinding(manifest, database) { outcome.findings.append(finding) }
        let definitions = manifest.version == .first ? nil : try database.definitions()
        var compared = ManifestReport.Comparison(notCompared: manifest.notCovered)
        if let released = manifest.schema, let definitions {
            let found = try ManifestSchema(definitions, tables: manifest.tables.map(\.name))
            compared.definitionCount = found.count
            if found != released {
                outcome.findings.append(.schemaChanged(definitions: found.count, released: released.count))
            }
        }
        for table in manifest.tables {
            let check = TableComparison(
                released: table, isWhole: manifest.version != .first, definitions: definitions)
            let (findings, seen) = try check.run(database, progress)
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
        _ manifest: Manifest, _ database: borrowing some ReleasedDatabase & ~Copyable
    ) throws -> ManifestReport.Finding? {
        guard let mark = try database.registryMark(of: manifest.dataset) else { return .registryMissing }
        let released = manifest.registryChanges
        if mark.changes < released {
            return .registryOlder(changes: mark.changes, released: released)
        }
        if mark.changes > released {
            return .registryNewer(changes: mark.changes, released: released)
        }
        // The MAC authenticates the columns to a reader with a field key. For other readers, the columns must equal the
        // signed ones.
        guard ConstantTime.equal(mark.code.span, manifest.registryCode.span) else { return .registryOther }
        do {
            let records = try database.registryRecords(of: manifest.dataset)
            return records?.isReleased(by: manifest) == true ? nil : .registryOther
        } catch let error as LockstepError where error.code == .registryForged {
            return .registryOther
        }
    }
}

extension RegistryRecords {
    /// Whether the sealed columns and their blind indexes are those of the release. Version 1 does not cover the
    /// indexes.
    fileprivate func isReleased(by manifest: Manifest) -> Bool {
        func line(_ parts: String...) -> [ExactText] { parts.map { ExactText($0) } }
        let (plaintext, sealed) = (SealedColumn.State.plaintext.rawValue, SealedColumn.State.sealed.rawValue)
        let claimed = columns.filter { !$0.state.hasSameBytes(as: plaintext) }
        let released = manifest.tables.flatMap { table in table.columns.map { (table.name, $0) } }
            .sorted { $0.1.id < $1.1.id }
        guard
            claimed.map({ line("\($0.id)", $0.state, $0.table.asciiLowercased, $0.name.asciiLowercased) })
                == released.map({ table, column in
                    line("\(column.id)", sealed, table.asciiLowercased, column.name.asciiLowercased)
                })
        else { return false }
        if manifest.version == .first { return true }
        let tokens = manifest.tables.flatMap(\.tokens).sorted { one, other in
            (one.column, one.number) < (other.column, other.number)
        }
        return indexes.map { line("\($0.column)", "\($0.number)", $0.name.asciiLowercased) }
            == tokens.map { line("\($0.column)", "\($0.number)", $0.name.asciiLowercased) }
    }
}
