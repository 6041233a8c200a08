public import SystemPackage

/// Proves that a database is what it should be: encrypted, whole, and of the schema that its migrations
/// make. Reads only.
public struct Verification {
    /// The file to verify.
    let path: FilePath
    /// The migration sets that the database may carry.
    let sets: [MigrationSet]

    /// A verification of the database at `path` against `sets`.
    public init(_ path: FilePath, sets: [MigrationSet]) {
        self.path = path
        self.sets = sets
    }

    /// Runs every check.
    ///
    /// A check that cannot be carried out, such as drift in a file whose pages are damaged, is a failure
    /// of that check and not of the run.
    /// - Parameter keyring: What the keyring holds, if the key came from one.
    /// - Throws: ``LockstepError`` if there is no such database, or the key does not fit.
    public func run(
        key: borrowing DatabaseKey, keyring: KeyringSummary? = nil
    ) throws -> VerificationReport {
        var report = VerificationReport()
        let diagnosis = try Diagnosis.examine(path, key: key)
        if let error = diagnosis.error(path), error.code != .damaged { throw error }
        try report.add(.encryption) { try CiphertextCheck.run(path, key) }
        try report.add(.pages) { try PageCheck.run(path, key) }
        try runOnConnection(key, &report)
        if let keyring { try report.add(.keyring) { KeyringCheck.run(keyring) } }
        return report
    }

    /// The checks that need the database open; all of them fail if it does not open.
    private func runOnConnection(
        _ key: borrowing DatabaseKey, _ report: inout VerificationReport
    ) throws {
        var options = ConnectionOptions()
        options.isQueryOnly = true
        do {
            let connection = try Connection.open(path, key: key, options: options)
            try report.add(.integrity) { try IntegrityCheck.run(connection) }
            try report.add(.foreignKeys) { try ForeignKeyCheck.run(connection) }
            try report.add(.ledger) { try LedgerCheck.run(connection, sets) }
            try report.add(.drift) { try DriftCheck.run(connection, sets) }
        } catch let error as LockstepError where error.code == .damaged {
            for check in [VerificationReport.Check.integrity, .foreignKeys, .ledger, .drift] {
                try report.add(check) { throw error }
            }
        }
    }
}

extension VerificationReport {
    /// Runs one check, times it, and turns what it throws into a failure of it.
    mutating func add(
        _ check: Check, _ body: () throws -> (summary: String, findings: [Finding])
    ) throws {
        let start = Clock.monotonicMicroseconds
        let result: (summary: String, findings: [Finding])
        do {
            result = try body()
        } catch let error as LockstepError {
            result = ("could not be carried out", [.failure(error.message)])
        }
        outcomes.append(
            Outcome(
                check: check, summary: result.summary, findings: result.findings,
                duration: Clock.monotonicMicroseconds - start))
    }
}
