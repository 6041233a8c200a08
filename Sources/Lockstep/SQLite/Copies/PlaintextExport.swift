internal import CSQLCipher
public import SystemPackage

extension Store {
    /// Writes the whole database to a file that is **not encrypted**: whoever reads the file reads
    /// everything, and deleting it later does not undo that on most disks.
    ///
    /// The engine's own tables, such as the migrations' ledger, are copied too. The copy is compared with
    /// the original, and is there whole or not at all. Blocks.
    /// - Throws: ``LockstepError/Code/alreadyExists`` if anything stands at `path`;
    ///   ``LockstepError/Code/full``; what `progress` throws.
    @discardableResult
    public func exportPlaintext(
        to path: FilePath, progress: (CopyProgress) throws -> Void = { _ in }
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
