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

    /// Runs every check that needs no keyring.
    ///
    /// A check that cannot be carried out, such as drift in a file whose pages are damaged, is a failure
    /// of that check and not of the run.
    /// - Throws: ``LockstepError`` if there is no such database, or the key does not fit.
    public func run(key: borrowing DatabaseKey) throws -> VerificationReport {
        var report = VerificationReport()
        try run(key, nil, &report)
        return report
    }

    /// Runs every check, also whether the file and its keyring are of one time and the keys fit for use.
    ///
    /// A file under a key that was retired is verified, too, and is an older copy: that fails.
    /// - Throws: as ``run(key:)``; ``LockstepError/Code/keyringMismatch`` for a keyring of another purpose.
    public func run(keyring: borrowing Keyring) throws -> VerificationReport {
        var report = VerificationReport()
        let age = try AgeCheck(keyring, of: path)
        try run(keyring.databaseKey(version: age.key.version), age, &report)
        try report.add(.keyring) { KeyringCheck.run(keyring.summary) }
        return report
    }

    private func run(
        _ key: borrowing DatabaseKey, _ age: AgeCheck?, _ report: inout VerificationReport
    ) throws {
        let diagnosis = try Diagnosis.examine(path, key: key)
        if let error = diagnosis.error(path), error.code != .damaged { throw error }
        try report.add(.encryption) { try CiphertextCheck.run(path, key) }
        try report.add(.pages) { try PageCheck.run(path, key) }
        try runOnConnection(key, age, &report)
    }

    /// The checks that need the database open; all of them fail if it does not open.
    private func runOnConnection(
        _ key: borrowing DatabaseKey, _ age: AgeCheck?, _ report: inout VerificationReport
    ) throws {
        var options = ConnectionOptions()
        options.isQueryOnly = true
        do {
            let connection = try Connection.open(path, key: key, options: options)
            try report.add(.integrity) { try IntegrityCheck.run(connection) }
            try report.add(.foreignKeys) { try ForeignKeyCheck.run(connection) }
            try report.add(.ledger) { try LedgerCheck.run(connection, sets) }
            try report.add(.drift) { try DriftCheck.run(connection, sets) }
            if let age { try report.add(.age) { try age.run(connection) } }
        } catch let error as LockstepError where error.code == .damaged {
            let checks: [VerificationReport.Check] = [.integrity, .foreignKeys, .ledger, .drift]
            for check in checks + (age == nil ? [] : [.age]) {
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
