/// One direction of a migration: SQL with directives in between.
///
/// A directive is a comment on its own, `-- lockstep: …`; inside a string it is part of the string. Instructions
/// that other layouts write differently also become directives.
package struct MigrationScript: Sendable, Equatable {
    /// A piece of SQL or a directive, with the line in the file where it begins.
    package struct Item: Sendable, Equatable {
        package enum Content: Sendable, Equatable {
            case sql(String)
            case directive(Directive)
        }
        package let content: Content
        package let line: Int
    }

    package let items: [Item]
    /// The text as in the file, with directives in place of another layout's notation: the ledger stores it and
    /// does not know layouts.
    @Exact package private(set) var text: String

    /// Whether it runs inside a transaction, together with its row in the ledger.
    package var runsInTransaction: Bool {
        !items.contains { $0.content == .directive(.noTransaction) }
    }

    /// Whether a name in double quotes that matches no column is text.
    var takesDoubleQuotedTexts: Bool {
        items.contains { $0.content == .directive(.doubleQuotedTexts) }
    }

    /// Whether it may edit the definitions in `sqlite_schema`.
    var editsSchema: Bool {
        items.contains { $0.content == .directive(.allowSchemaEdits) }
    }

    /// Whether it is a whole transaction by itself: BEGIN before all other statements, and COMMIT after them. The version
    /// is one transaction anyway.
    package var isTransaction: Bool {
        let scripts = items.compactMap { item -> [SQLCursor.Token]? in
            guard case .sql(let sql) = item.content else { return nil }
            let tokens = SQLCursor(sql).tokens
            return tokens.isEmpty ? nil : Array(tokens)
        }
        guard let first = scripts.first?.first, let last = scripts.last else { return false }
        let end = last.reversed().drop { $0.word == ";" }.prefix { $0.word != ";" }.last
        // exact: words of the source
        return first.word == "begin" && ["commit", "end"].contains(end?.word)
    }

    /// The tables that the script may remove rows from.
    var tablesAllowedToLoseRows: Set<SQLName> {
        Set(
            items.compactMap {
                guard case .directive(.allowLoss(let table)) = $0.content else { return nil }
                return SQLName(table)
            })
    }

    /// The tables whose foreign keys the script may leave without the rows that they refer to.
    var tablesAllowedBrokenReferences: Set<SQLName> {
        Set(
            items.compactMap {
                guard case .directive(.allowBrokenReferences(let table)) = $0.content else {
                    return nil
                }
                return SQLName(table)
            })
    }

    /// Whether foreign keys must be off while it runs. SQLite ignores the pragma inside a transaction, and with
    /// foreign keys on, dropping a table deletes the rows that refer to it.
    var needsForeignKeysOff: Bool {
        items.contains { item in
            switch item.content {
            case .directive(.foreignKeysOff), .directive(.rebuild): true
            default: false
            }
        }
    }

    /// The script with directives added that its file does not contain. Text and checksums stay those of the
    /// file.
    func declaring(_ directives: [Directive]) -> MigrationScript {
        guard !directives.isEmpty else { return self }
        let added = directives.map { Item(content: .directive($0), line: 0) }
        return MigrationScript(items: added + items, text: text)
    }
}
