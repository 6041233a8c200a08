/// One direction of a migration: SQL and the directives that stand between it.
///
/// A directive is a comment of its own, `-- lockstep: …`. One inside a string is part of the string. What
/// other layouts say in their own way is a directive here, too.
struct MigrationScript: Sendable, Equatable {
    /// A piece of SQL, or a directive, with the line of the file it begins on.
    struct Item: Sendable, Equatable {
        enum Content: Sendable, Equatable {
            case sql(String)
            case directive(Directive)
        }
        let content: Content
        let line: Int
    }

    let items: [Item]
    /// The text as it stands in the file, with directives for what another layout says otherwise: the
    /// ledger keeps it, and knows nothing of layouts.
    let text: String

    /// Whether it runs inside a transaction, together with its row in the ledger.
    var runsInTransaction: Bool {
        !items.contains { $0.content == .directive(.noTransaction) }
    }

    /// Whether what stands in double quotes and names no column is text.
    var takesDoubleQuotedTexts: Bool {
        items.contains { $0.content == .directive(.doubleQuotedTexts) }
    }

    /// Tables that the script may remove rows from.
    var tablesAllowedToLoseRows: Set<String> {
        Set(
            items.compactMap {
                guard case .directive(.allowLoss(let table)) = $0.content else { return nil }
                return table.asciiLowercased
            })
    }

    /// Tables whose foreign keys the script may leave without what they refer to.
    var tablesAllowedBrokenReferences: Set<String> {
        Set(
            items.compactMap {
                guard case .directive(.allowBrokenReferences(let table)) = $0.content else {
                    return nil
                }
                return table.asciiLowercased
            })
    }

    /// Whether foreign keys must be off while it runs: SQLite ignores the pragma inside a transaction,
    /// and with them on, dropping a table deletes its children.
    var needsForeignKeysOff: Bool {
        items.contains { item in
            switch item.content {
            case .directive(.foreignKeysOff), .directive(.rebuild): true
            default: false
            }
        }
    }
}
