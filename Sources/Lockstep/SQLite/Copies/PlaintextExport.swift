internal import CSQLCipher
public import SystemPackage

extension Store {
    /// Writes the whole database to a file that is **not encrypted**: anyone who reads the file reads
    /// everything, and on most disks deleting it later does not undo that.
    ///
    /// The engine's own tables, such as the migration ledger, are copied too. The copy is compared with the
    /// original, and appears complete or not at all. Blocks.
    /// - Throws: ``LockstepError/Code/alreadyExists`` if anything exists at `path`;
    ///   ``LockstepError/Code/full``; any error from `progress`.
    @discardableResult
    public func exportPlaintext(
        to path: FilePath, progress: JobProgress.Handler = { _ in }
    ) throws -> CopyReport {
        try PendingDatabase.requireFree(path)
        let pending = try PendingDatabase(for: path)
        let report = try namingDamage {
            try read { source in
                let target = try ForeignDatabase.makePlaintext(
                    pending.path, options: self.source.options.connection)
                return try withoutActuallyEscaping(progress) { progress in
                    var copy = try LogicalCopy(of: source, progress)
                    try copy.run(from: source, to: target)
                    let rows = try copy.compare(source, with: target)
                    try IntegrityAnswer.require(target)
                    let pages: Int = try target.value("PRAGMA main.page_count") ?? 0
                    return CopyReport(pages: pages, rows: rows)
                }
            }
        }
        try pending.place()
        return report
    }
}
