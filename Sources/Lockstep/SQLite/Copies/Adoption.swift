public import SystemPackage

/// Makes a Lockstep database from a plaintext SQLite file, or from a SQLCipher file under a passphrase.
///
/// The content is copied row by row into a new file and compared with the original. The original is only read
/// and stays where it is; destroying a plaintext original and its copies is left to the caller.
public struct Adoption: Sendable {
    /// The file to adopt.
    public let original: FilePath
    /// The path of the new database.
    public let path: FilePath
    /// How the new database is opened. Should include the functions and collations that the schema needs: the order of a
    /// collation that it lacks is taken from the original's indexes, and an index on an expression that needs one, or on some
    /// rows, is refused.
    public var options: ConnectionOptions
    /// Names of tables, virtual tables, indexes, views and triggers that are not copied, with what belongs to a table: for
    /// what only the original's program can make, such as a virtual table of a module of its own.
    public var leavesOut: [String] = []
    /// The settings of a SQLCipher original. Without, those of each version and the changes that programs usually make
    /// to them are tried, at the cost of a key derivation for each way to derive the key.
    public var settings: SQLCipherSettings?

    /// An adoption of `original` into a new database at `path`. Nothing runs yet.
    public init(
        of original: FilePath, into path: FilePath, options: ConnectionOptions = .init()
    ) {
        self.original = original
        self.path = path
        self.options = options
    }

    /// Adopts a plaintext SQLite database, in UTF-8 or UTF-16, of any page size. Blocks.
    /// - Parameters:
    ///   - key: The key of the new database.
    ///   - progress: Called with the number of copied rows.
    /// - Throws: ``LockstepError/Code/alreadyExists`` if anything exists at the path;
    ///   ``LockstepError/Code/damaged`` or ``LockstepError/Code/truncated`` if the original is;
    ///   ``LockstepError/Code/malformedInput`` if it is not plaintext SQLite; `CancellationError`; any error from
    ///   `progress`.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`")
    @discardableResult
    package func run(
        key: borrowing DatabaseKey, progress: JobProgress.Handler = { _ in }
    ) throws -> AdoptionReport {
        try run(key: key, placing: { _, rename in try rename() }, progress: progress)
    }

    /// The same, with a step around the moment in which the new database gets its name.
    /// - Parameter placing: Called with the finished file, and with what gives it its name.
    func run(
        key: borrowing DatabaseKey, placing: (FilePath, () throws -> Void) throws -> Void, progress: JobProgress.Handler
    ) throws -> AdoptionReport {
        let header = FileHeader(bytes: try DatabaseFile(original).read(at: 0, FileHeader.length))
        return try run(key, pageSize: header.pageSize ?? 0, placing, progress) {
            try ExternalDatabase.openPlaintext(original)
        }
    }

    /// Adopts a database of SQLCipher 1, 2, 3 or 4 under a passphrase. Finding the version takes one key
    /// derivation for each, 0.3 to 2 s. Blocks.
    /// - Throws: The same as without a passphrase; ``LockstepError/Code/wrongKey``;
    ///   ``LockstepError/Code/otherSettings`` if it fits with other ``settings``.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`")
    @discardableResult
    package func run(
        passphrase: borrowing Passphrase, key: borrowing DatabaseKey, progress: JobProgress.Handler = { _ in }
    ) throws -> AdoptionReport {
        try run(ForeignKey(passphrase), key: key, placing: { _, rename in try rename() }, progress: progress)
    }

    /// Adopts a database of SQLCipher under a raw key. Blocks.
    /// - Throws: The same as under a passphrase.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`")
    @discardableResult
    package func run(
        rawKey: borrowing RawKey, key: borrowing DatabaseKey,
        progress: JobProgress.Handler = { _ in }
    ) throws -> AdoptionReport {
        try run(
            ForeignKey(rawKey), key: key, placing: { _, rename in try rename() },
            progress: progress)
    }

    /// The same, with a step around the moment in which the new database gets its name.
    func run(
        _ foreign: ForeignKey, key: borrowing DatabaseKey,
        placing: (FilePath, () throws -> Void) throws -> Void, progress: JobProgress.Handler
    ) throws -> AdoptionReport {
        // Before anything is looked for at the cost of a derivation.
        try PendingDatabase.requireFree(path)
        let found = try ForeignSettings.find(original, foreign, given: settings)
        var remade: RemadeMACs?
        if RemadeMACs.isNeeded(found.profile) {
            remade = try RemadeMACs(of: original, found, foreign, beside: path)
        }
        var report = try withExtendedLifetime(remade) {
            try run(key, pageSize: found.profile.pageSize, placing, progress) {
                try ExternalDatabase.open(remade?.path ?? original, foreign, remade?.settings ?? found)
            }
        }
        if !found.isDefault {
            report.settings = found.profile.settings(derives: foreign.isDerived)
        }
        return report
    }

    private func run(
        _ key: borrowing DatabaseKey, pageSize: Int,
        _ placing: (FilePath, () throws -> Void) throws -> Void,
        _ progress: JobProgress.Handler,
        _ open: () throws -> Connection
    ) throws -> AdoptionReport {
        let time = JobTime()
        try PendingDatabase.requireFree(path)
        let sides = SideFiles(of: original)
        defer { sides.removeNew() }
        let source = try open()
        try Opening.extend(source, options)
        let pending = try PendingDatabase(for: path)
        var report = try source.read { source in
            try OwnCollations.lend(to: source) { collations in
                try Self.requireSound(source, collations)
                let filled = try fill(pending.path, key, from: source, collations, progress)
                let pages = try PageAudit(pending.path).requireClean(key).pages
                return AdoptionReport(
                    copy: CopyReport(pages: pages, rows: filled.rows),
                    applicationID: try source.headerField("application_id"), brokenForeignKeys: filled.broken,
                    ownCollations: collations.names, leftOut: filled.leftOut, pageSize: pageSize)
            }
        }
        try placing(pending.path) { try pending.place() }
        report.copy.time = time.ended()
        return report
    }

    /// Fills the new file, compares it, and closes it.
    private func fill(
        _ path: FilePath, _ key: borrowing DatabaseKey, from source: borrowing Connection,
        _ collations: OwnCollations, _ progress: JobProgress.Handler
    ) throws -> (rows: [ExactText: Int], broken: Int, leftOut: [String]) {
        var writing = options
        writing.isScratch = true
        writing.isQueryOnly = false
        writing.addition = writing.addition?.shared(isNew: true)
        func openTarget() throws -> Connection {
            try Opening.open(path, keyspec: key.keyspec(withSalt: true), writing)
        }
        return try withoutActuallyEscaping(progress) { progress in
            var copy = try LogicalCopy(of: source, without: leavesOut) { try $0.report(to: progress) }
            try collations.lend(to: openTarget()) { target in
                // Only possible before the first table.
                try target.setHeaderField("auto_vacuum", source.headerField("auto_vacuum"))
                try target.setHeaderField("application_id", Connection.applicationID)
                try copy.run(from: source, to: target, collations)
            }
            // A virtual table can keep what it knew when it was empty, such as an R-tree the size of its nodes.
            return try collations.lend(to: openTarget()) { target in
                let rows = try copy.compare(source, with: target)
                let broken = try collations.attempt { try target.query("PRAGMA main.foreign_key_check") { _ in }.count }
                try IntegrityPragma.require(target)
                try key.originRecord?.add(to: target)
                // The original can be an export of a copy.
                try FileRole.original.record(in: target)
                return (rows, broken ?? 0, copy.leftOut)
            }
        }
    }

    private static func requireSound(_ source: borrowing Connection, _ collations: OwnCollations) throws {
        do {
            if try collations.attempt({ try IntegrityPragma.require(source) }) != nil { return }
            // An index of an unknown order cannot be checked. The rows are compared with the copy, which gets indexes of its own.
            try IntegrityPragma.requireRows(source)
            try collations.require()
        } catch let error as LockstepError {
            if let missing = error.context.missing, missing.kind == .collation || missing.kind == .function {
                let what = missing.kind == .collation ? "collation" : "function"
                throw error.located(
                    "\(source.path) cannot be checked without the \(what) \(missing.name) of the program that wrote it",
                    hint:
                        "adopt it from a program that registers it in ConnectionOptions, or let the program that wrote "
                        + "it first make a copy whose schema does without it")
            }
            throw error.located(
                "\(source.path) cannot be adopted as it is",
                advice:
                    "repair it first with the program that wrote it, or recover what is readable with \(.salvageForeign)"
            )
        }
    }
}
