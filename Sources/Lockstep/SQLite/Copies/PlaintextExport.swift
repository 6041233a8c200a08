public import SystemPackage

/// Writes a whole database to a file that is **not encrypted**: anyone who reads the file reads everything, and on most
/// disks deleting it later does not undo that.
///
/// The engine's own tables, such as the migration ledger, are copied too. The copy is compared with the original, and
/// appears complete or not at all.
public struct PlaintextExport: Sendable {
    /// The path of the plaintext file.
    public let path: FilePath

    /// An export to `path`, where nothing must exist. Nothing runs yet.
    public init(to path: FilePath) { self.path = path }

    /// Exports a store's database. Blocks.
    /// - Parameters:
    ///   - store: The store to export.
    ///   - progress: Called with the number of copied rows.
    /// - Throws: ``LockstepError/Code/alreadyExists`` if anything exists at the path;
    ///   ``LockstepError/Code/full``; `CancellationError`; any error from `progress`.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`")
    @discardableResult
    public func run(
        on store: Store, progress: JobProgress.Handler = { _ in }
    ) throws -> CopyReport {
        let time = JobTime()
        try PendingDatabase.requireFree(path)
        let pending = try PendingDatabase(for: path)
        var report = try store.namingDamage {
            try store.snapshot(for: "export") { source in
                let target = try ExternalDatabase.makePlaintext(pending.path, options: store.source.options.connection)
                return try OwnCollations.lend(to: source) { collations in
                    try collations.lend(to: target) { target in
                        try fill(target, from: source, collations, progress)
                    }
                }
            }
        }
        try pending.place()
        report.time = time.ended()
        return report
    }

    private func fill(
        _ target: borrowing Connection, from source: borrowing Connection, _ collations: OwnCollations,
        _ progress: JobProgress.Handler
    ) throws -> CopyReport {
        try withoutActuallyEscaping(progress) { progress in
            var copy = try LogicalCopy(of: source) { try $0.report(to: progress) }
            try copy.run(from: source, to: target, collations)
            let rows = try copy.compare(source, with: target)
            try IntegrityPragma.require(target)
            let pages: Int = try target.value("PRAGMA main.page_count") ?? 0
            return CopyReport(pages: pages, rows: rows)
        }
    }
}
