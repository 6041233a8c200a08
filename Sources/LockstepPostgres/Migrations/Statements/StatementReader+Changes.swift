internal import Lockstep

extension StatementReader {
    /// The code that the statement brings along: that of DO, and of a function that is no trigger, with the strings in it,
    /// which EXECUTE can run.
    var code: [StatementReader] {
        var first = self
        guard first.take("do") || (first.take("create") && !contains("returns", "trigger")) else { return [] }
        return texts.flatMap { text in
            let inner = StatementReader(text)
            return [inner] + inner.texts.map { StatementReader($0) }
        }
    }

    /// The tables and views whose standing rows the statement says it changes: the targets of UPDATE, MERGE and INSERT with
    /// ON CONFLICT DO UPDATE.
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
        return names
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
