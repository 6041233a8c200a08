internal import CSQLCipher
public import SystemPackage

/// Makes a Lockstep database from a plaintext SQLite file, or from a SQLCipher file under a passphrase.
///
/// The content is copied row by row into a new file and compared with the original. The original is only read
/// and stays where it is; destroying a plaintext original and its copies is left to the caller.
public enum Adoption {
    /// Adopts a plaintext SQLite database, in UTF-8 or UTF-16, of any page size.
    /// - Throws: ``LockstepError/Code/alreadyExists`` if anything exists at `path`;
    ///   ``LockstepError/Code/damaged`` or ``LockstepError/Code/truncated`` if the original is;
    ///   ``LockstepError/Code/malformedInput`` if it is not plaintext SQLite; any error from `progress`.
    public static func adopt(
        plaintext original: FilePath, into path: FilePath, key: borrowing DatabaseKey,
        options: ConnectionOptions = .init(), progress: JobProgress.Handler = { _ in }
    ) throws -> AdoptionReport {
        try PendingDatabase.requireFree(path)
        let sides = SideFiles(of: original)
        defer { sides.removeNew() }
        let source = try ForeignDatabase.openPlaintext(original)
        return try adopt(source, into: path, key, options, progress)
    }

    /// Adopts a database of SQLCipher 1, 2, 3 or 4 under a passphrase. Finding the version takes one key
    /// derivation for each, 0.3 to 2 s.
    /// - Throws: The same as ``adopt(plaintext:into:key:options:progress:)``; ``LockstepError/Code/wrongKey``.
    public static func adopt(
        _ original: FilePath, passphrase: borrowing Passphrase, into path: FilePath,
        key: borrowing DatabaseKey, options: ConnectionOptions = .init(),
        progress: JobProgress.Handler = { _ in }
    ) throws -> AdoptionReport {
        try PendingDatabase.requireFree(path)
        let sides = SideFiles(of: original)
        defer { sides.removeNew() }
        let source = try ForeignDatabase.open(original, passphrase: passphrase)
        return try adopt(source, into: path, key, options, progress)
    }

    private static func adopt(
        _ source: consuming Connection, into path: FilePath, _ key: borrowing DatabaseKey,
        _ options: ConnectionOptions, _ progress: JobProgress.Handler
    ) throws -> AdoptionReport {
        try Opening.extend(source, options)
        let pending = try PendingDatabase(for: path)
        let report = try source.read { source in
            try requireSound(source)
            let (rows, broken) = try fill(pending.path, key, options, from: source, progress)
            let pages = try PageAudit(pending.path).requireClean(key).pages
            return AdoptionReport(
                copy: CopyReport(pages: pages, rows: rows),
                applicationID: try source.headerField("application_id"), brokenForeignKeys: broken)
        }
        try pending.place()
        return report
    }

    /// Fills the new file, compares it, and closes it.
    private static func fill(
        _ path: FilePath, _ key: borrowing DatabaseKey, _ options: ConnectionOptions,
        from source: borrowing Connection, _ progress: JobProgress.Handler
    ) throws -> (rows: [String: Int], brokenForeignKeys: Int) {
        var writing = options
        writing.isScratch = true
        writing.isQueryOnly = false
        writing.addition = writing.addition?.shared(isNew: true)
        let target = try Opening.open(path, keyspec: key.keyspec(withSalt: true), writing)
        try target.setHeaderField("application_id", Connection.applicationID)
        return try withoutActuallyEscaping(progress) { progress in
            var copy = try LogicalCopy(of: source, progress)
            try copy.run(from: source, to: target)
            let rows = try copy.compare(source, with: target)
            let broken = try target.query("PRAGMA main.foreign_key_check") { _ in }.count
            try IntegrityAnswer.require(target)
            try KeyringTable.bind(key.origin, target)
            return (rows, broken)
        }
    }

    private static func requireSound(_ source: borrowing Connection) throws {
        do {
            try IntegrityAnswer.require(source)
        } catch let error as LockstepError {
            throw error.located(
                "\(source.path) cannot be adopted as it is",
                hint: "repair it first with the program that wrote it: damaged content cannot be "
                    + "copied and compared")
        }
    }
}
