/// A part of a script after which an interrupted run goes on with the next one.
///
/// Most scripts are one transaction. One with a backfill, or without a transaction, is several, and the
/// database remembers how far it has come: see ``MigrationProgress``.
enum MigrationSegment: Sendable, Equatable {
    /// One transaction.
    case transaction(MigrationScript)
    /// As many transactions as the table has batches.
    case backfill(Backfill)
    /// As many as its rows need, and one that has to wait for readers at its end.
    case sealing(SealingDirective, line: Int)
    /// SQL that runs statement by statement, each in a transaction of its own as far as SQLite lets it.
    case bare(sql: String, line: Int)
}

extension MigrationScript {
    /// Whether it takes a single transaction, its ledger row included.
    var isOneTransaction: Bool {
        runsInTransaction
            && !items.contains { item in
                switch item.content {
                case .directive(.backfill), .directive(.sealing): true
                default: false
                }
            }
    }

    /// - Throws: ``LockstepError/Code/migrationMalformed`` with file and line.
    func segments(_ fileName: String) throws(LockstepError) -> [MigrationSegment] {
        var segments: [MigrationSegment] = []
        var open: [Item] = []
        func close() {
            guard !open.isEmpty else { return }
            segments.append(.transaction(MigrationScript(items: open, text: text)))
            open = []
        }
        var waiting: (table: String, batch: Int, line: Int)?
        for item in items {
            switch item.content {
            case .directive(.backfill(let table, let batch)):
                guard waiting == nil else { throw Backfill.statementMissing(fileName, item.line) }
                close()
                waiting = (table, batch, item.line)
            case .sql(let sql):
                var rest = (sql: sql, line: item.line)
                if let (table, batch, _) = waiting {
                    guard let (backfill, after) = Backfill.cut(sql, item.line, table, batch) else {
                        continue
                    }
                    segments.append(.backfill(backfill))
                    waiting = nil
                    rest = after
                }
                guard !SQLTokens.areBlank(Array(rest.sql.utf8)) else { continue }
                if runsInTransaction {
                    open.append(Item(content: .sql(rest.sql), line: rest.line))
                } else {
                    segments.append(.bare(sql: rest.sql, line: rest.line))
                }
            case .directive(.sealing(let sealing)):
                if let waiting { throw Backfill.statementMissing(fileName, waiting.line) }
                close()
                segments.append(.sealing(sealing, line: item.line))
            case .directive(.rebuild) where !runsInTransaction:
                throw LockstepError(
                    .migrationMalformed,
                    "\(fileName):\(item.line): a rebuild stands in a script without a transaction",
                    hint: "put the rebuild into a version of its own")
            case .directive:
                if let waiting { throw Backfill.statementMissing(fileName, waiting.line) }
                open.append(item)
            }
        }
        if let waiting { throw Backfill.statementMissing(fileName, waiting.line) }
        // Directives alone, which speak of the whole script, are nothing to run.
        if open.contains(where: { if case .sql = $0.content { true } else { false } }) { close() }
        return segments
    }
}
