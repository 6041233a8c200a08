/// A part of a script. An interrupted run continues with the first part that is not complete.
///
/// Most scripts are one transaction. A script with a backfill or without a transaction has several parts, and the
/// database records the progress: see ``MigrationProgress``.
enum MigrationSegment: Sendable, Equatable {
    /// One transaction.
    case transaction(MigrationScript)
    /// As many transactions as the table has batches.
    case backfill(Backfill)
    /// As many transactions as the rows need, and a last one that has to wait for readers.
    case sealing(SealingDirective, line: Int)
    /// SQL that runs statement by statement, each in its own transaction where SQLite allows it.
    case bare(sql: String, line: Int)
}

extension MigrationScript {
    /// Whether it runs in a single transaction that includes its ledger row.
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
    func segments(_ origin: ScriptOrigin) throws(LockstepError) -> [MigrationSegment] {
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
                guard waiting == nil else { throw Backfill.statementMissing(origin, item.line) }
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
                if let waiting { throw Backfill.statementMissing(origin, waiting.line) }
                close()
                segments.append(.sealing(sealing, line: item.line))
            case .directive(.rebuild) where !runsInTransaction:
                throw origin.malformed(
                    "a rebuild needs a transaction, and this script has none", line: item.line,
                    hint: "move the rebuild to a separate version")
            case .directive:
                if let waiting { throw Backfill.statementMissing(origin, waiting.line) }
                open.append(item)
            }
        }
        if let waiting { throw Backfill.statementMissing(origin, waiting.line) }
        // Directives without SQL apply to the whole script and run nothing.
        if open.contains(where: { if case .sql = $0.content { true } else { false } }) { close() }
        return segments
    }
}
