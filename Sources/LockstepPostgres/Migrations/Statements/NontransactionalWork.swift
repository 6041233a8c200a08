internal import Lockstep

/// A statement that a server runs only outside a transaction, and that a run which was killed in it runs again.
enum NontransactionalWork: Equatable {
    /// CREATE INDEX CONCURRENTLY of this name.
    case createIndex(String, on: StatementReader.Name)
    /// DROP INDEX CONCURRENTLY.
    case dropIndex(StatementReader.Name)
    /// REINDEX CONCURRENTLY of an index, or of the indexes of a table.
    case reindex(StatementReader.Name)
    /// VACUUM, which does no harm twice.
    case vacuum

    /// What is refused: it cannot be run again after a kill, or keeps everybody waiting, or is not about one database.
    struct Refusal: Error {
        let what: String
        let hint: String
    }

    /// Nil for a statement that runs in a transaction.
    init?(_ sql: String) throws(Refusal) {
        var reader = StatementReader(sql)
        if reader.take("vacuum") {
            let words = reader.parentheses()
            guard !reader.take("full"), !words.contains("full") else {
                throw Refusal(
                    what:
                        "VACUUM FULL keeps everyone from the table while it waits for it and rewrites it",
                    hint: "run it by hand, when nobody uses the table")
            }
            self = .vacuum
            return
        }
        if reader.take("create") {
            _ = reader.take("unique")
            guard reader.take("index", "concurrently") else {
                try Self.refuseServerWide(&reader)
                return nil
            }
            self = try Self.creation(&reader)
            return
        }
        if reader.take("drop") {
            guard reader.take("index", "concurrently") else {
                try Self.refuseServerWide(&reader)
                return nil
            }
            _ = reader.take("if", "exists")
            guard let name = reader.name() else { return nil }
            self = .dropIndex(name)
            return
        }
        guard reader.take("reindex") else {
            try Self.refuseOthers(&reader)
            return nil
        }
        let options = reader.parentheses()
        let isOfOne = reader.take("index") || reader.take("table")
        if !isOfOne { reader.skip() }
        guard reader.take("concurrently") || options.contains("concurrently") else {
            return nil
        }
        guard isOfOne, let name = reader.name() else {
            throw Refusal(
                what: "REINDEX CONCURRENTLY of a whole schema or database",
                hint: "name one table or index in each statement")
        }
        self = .reindex(name)
    }

    private static func creation(_ reader: inout StatementReader) throws(Refusal) -> Self {
        _ = reader.take("if", "not", "exists")
        guard !reader.take("on"), let name = reader.name()?.last, reader.take("on") else {
            throw Refusal(
                what: "CREATE INDEX CONCURRENTLY without a name",
                hint: "name the index: what a killed run leaves of it is found by its name")
        }
        _ = reader.take("only")
        guard let table = reader.name() else {
            throw Refusal(
                what: "CREATE INDEX CONCURRENTLY without a table", hint: "name the table")
        }
        return .createIndex(name, on: table)
    }

    /// What is about the server and not about the database: nothing that a transaction could undo.
    private static func refuseServerWide(_ reader: inout StatementReader) throws(Refusal) {
        for word in ["database", "tablespace", "subscription"] where reader.take(word) {
            throw Refusal(what: "a migration changes one database, and this is about a \(word)", hint: "run it by hand")
        }
    }

    private static func refuseOthers(_ reader: inout StatementReader) throws(Refusal) {
        if reader.take("alter", "system") {
            throw Refusal(what: "ALTER SYSTEM changes the server, and a migration one database", hint: "run it by hand")
        }
        if reader.take("alter", "table"), reader.contains("detach"),
            reader.contains("concurrently")
        {
            throw Refusal(
                what: "DETACH PARTITION CONCURRENTLY, which a killed run does not finish",
                hint: "leave out CONCURRENTLY, or run it by hand")
        }
    }
}
