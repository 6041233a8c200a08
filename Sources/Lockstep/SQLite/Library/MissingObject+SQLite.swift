extension LockstepError.MissingObject {
    private static let phrases: [(words: String, kind: Kind)] = [
        ("no such table: ", .table), ("no such column: ", .column), ("no such function: ", .function),
        ("no such module: ", .module), ("no such collation sequence: ", .collation),
    ]

    /// The object that one of SQLite's messages calls missing; nil for its other messages.
    init?(sqliteMessage message: String) {
        for (words, kind) in Self.phrases {
            guard let start = message.firstRange(of: words)?.upperBound else { continue }
            // Advice can follow: “ - should this be a string literal in single-quotes?”
            let rest = message[start...]
            self.init(kind, String(rest[..<(rest.firstRange(of: " - ")?.lowerBound ?? rest.endIndex)]))
            return
        }
        return nil
    }
}
