internal import Lockstep

extension StatementReader {
    /// The tables and views whose standing rows the statement says it changes: the targets of UPDATE, MERGE and INSERT with
    /// ON CONFLICT DO UPDATE, in the code of DO and of functions that are no triggers, too.
    var changedNames: Set<SQLName> {
        var names: Set<SQLName> = []
        let upserts = contains("do", "update")
        var rest = self
        while !rest.isAtEnd {
            if rest.take("update") || rest.take("merge", "into") || (upserts && rest.take("insert", "into")) {
                _ = rest.take("only")
                if let name = rest.name()?.last { names.insert(SQLName(name)) }
            } else {
                rest.skip()
            }
        }
        var first = self
        let isCode = first.take("do") || (first.take("create") && !contains("returns", "trigger"))
        guard isCode else { return names }
        // What code runs by EXECUTE stands in strings of its own.
        return texts.reduce(into: names) { names, text in
            let inner = StatementReader(text)
            names.formUnion(inner.changedNames)
            for inner in inner.texts { names.formUnion(StatementReader(inner).changedNames) }
        }
    }

    /// Its updates: of which table, and which columns.
    var updates: [(table: SQLName, columns: Set<SQLName>)] {
        var updates: [(table: SQLName, columns: Set<SQLName>)] = []
        var rest = self
        while !rest.isAtEnd {
            guard rest.take("update") else {
                rest.skip()
                continue
            }
            _ = rest.take("only")
            guard let table = rest.name()?.last else { continue }
            while !rest.isAtEnd, !rest.take("set") { rest.skipOver() }
            updates.append((SQLName(table), rest.setColumns()))
        }
        return updates
    }

    /// Passes over what follows SET.
    private mutating func setColumns() -> Set<SQLName> {
        var columns: Set<SQLName> = []
        repeat {
            let list = parentheses()
            if list.isEmpty, let column = name()?.first { columns.insert(SQLName(column)) }
            columns.formUnion(list.map { SQLName($0) })
            while !isAtEnd, ![[","], ["where"], ["from"], ["returning"], [")"]].contains(where: { comes($0) }) {
                skipOver()
            }
        } while take(",")
        return columns
    }
}
