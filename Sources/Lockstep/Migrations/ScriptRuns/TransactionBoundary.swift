/// The statements with which a file begins its transaction and ends it, or ends it to switch foreign keys and begins
/// another: `COMMIT; PRAGMA foreign_keys = OFF; BEGIN;`. In a file that is a transaction by itself, or where foreign keys
/// are declared off, the version has one transaction all the same, and these statements have nothing to do.
struct TransactionBoundary {
    /// Where the next other statement can begin.
    let end: Int
    /// Whether they switch foreign keys between two transactions.
    let switchesForeignKeys: Bool

    /// Nil if the script has no such statements at this place.
    /// - Parameter isFirst: Whether nothing has run before them.
    init?(_ script: [UInt8], from start: Int, isFirst: Bool) {
        // Most statements begin with another word.
        let first = SQLCursor(script, from: start, limit: 1).peek()
        guard ["pragma", "commit", "end", "begin"].contains(first) else { return nil }
        var cursor = SQLCursor(script, from: start, limit: 40)
        var end = start
        func offset() -> Int { cursor.end }
        var hasPragma = false
        func takePragmas() {
            while cursor.peek() == "pragma",
                let pragma = ForeignKeyPragma(script, from: ScriptText.skipBlank(script, from: end))
            {
                hasPragma = true
                end = pragma.end
                cursor = SQLCursor(script, from: end, limit: 40)
            }
        }
        takePragmas()
        let commits = cursor.take("commit") || cursor.take("end")
        if commits {
            _ = cursor.take("transaction")
            guard cursor.take(";") || cursor.peek().isEmpty else { return nil }
            end = offset()
            cursor = SQLCursor(script, from: end, limit: 40)
            takePragmas()
        }
        var isTransaction = commits
        if cursor.take("begin") {
            isTransaction = true
            for kind in ["deferred", "immediate", "exclusive"] { _ = cursor.take(kind) }
            _ = cursor.take("transaction")
            guard commits || isFirst, cursor.take(";") else { return nil }
            end = offset()
        } else if commits {
            // A file that ends its transaction has nothing after it.
            guard SQLTokens.areBlank(Array(script[end..<(script.count - 1)])) else { return nil }
        } else if !hasPragma {
            return nil
        }
        self.end = end
        switchesForeignKeys = hasPragma && isTransaction
    }
}
