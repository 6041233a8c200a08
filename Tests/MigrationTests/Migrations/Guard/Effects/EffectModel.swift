@testable import EngineTestSupport
@testable import Lockstep

/// What has happened to the rows of a database, by a comparison of everything with everything, and which declarations
/// that needs. It knows nothing of the guard.
struct EffectModel {
    private typealias Row = [String: Value]

    /// The rows of a table, by their keys: `rowid` stands for the rowid.
    private struct Table {
        var rows: [(key: Value, row: Row)] = []
        var columns: Set<String> = []
    }

    private var tables: [String: Table] = [:]

    init(_ connection: borrowing Connection) throws {
        for (name, (key, columns)) in EffectScript.tables {
            let there = Set(
                try connection.query("SELECT name FROM pragma_table_xinfo(?)", name) { row in try row[0] as String })
            guard !there.isEmpty else { continue }
            var table = Table()
            table.columns = there
            let used = columns.filter(there.contains)
            let list = (["\(key ?? "rowid")"] + used).joined(separator: ", ")
            _ = try connection.query(SQL(verbatim: "SELECT \(list) FROM \(name)")) { row in
                var values: Row = [:]
                for (index, column) in used.enumerated() { values[column] = try row[index + 1] as Value }
                table.rows.append((try row[0] as Value, values))
            }
            tables[name] = table
        }
    }

    /// The declarations that the script needs, if the database was `before` and is this now; nil where only a count of the rows
    /// that each statement deletes shows that.
    func needed(since before: EffectModel, _ said: EffectScript.Said) -> Set<String>? {
        var needed: Set<String> = []
        guard !before.tables.contains(where: { isUnclear($0.key, $0.value, said) }) else { return nil }
        for (name, old) in before.tables where name != "archive" && !old.rows.isEmpty {
            needed.formUnion(effects(name, old, said))
        }
        return needed
    }

    /// Whether a row has another value that the script says, and the script deletes rows of the table and inserts others: it
    /// can be another row.
    private func isUnclear(_ name: String, _ old: Table, _ said: EffectScript.Said) -> Bool {
        guard said.deleted.contains(name), said.inserted.contains(name), !said.replaced.contains(name),
            let new = tables[name]
        else { return false }
        let now = Dictionary(new.rows.map { ($0.key, $0.row) }) { one, _ in one }
        return old.rows.contains { id, row in
            now[id]?.contains { row[$0.key] != $0.value && said.updated["\(name).\($0.key)"] != nil } ?? false
        }
    }

    private func effects(_ name: String, _ old: Table, _ said: EffectScript.Said) -> Set<String> {
        let loss = "allow loss of table \(name)"
        guard let new = tables[name], let (key, columns) = EffectScript.tables[name] else { return [loss] }
        let now = Dictionary(new.rows.map { ($0.key, $0.row) }) { one, _ in one }
        let free = Set(columns.filter { said.updated["\(name).\($0)"] != nil })
        func content(_ row: Row) -> Row { row.filter { !free.contains($0.key) } }
        // Rows that move, or whose key the script changes, are distinguished by their content.
        let isByContent = key.map(free.contains) ?? said.replaced.contains(name)
        let whole = said.refilled.contains(name) ? Set(new.rows.map(\.row)) : []
        let archived = name == "p" && said.archives ? Set((tables["archive"]?.rows ?? []).map(\.row)) : []
        var effects: Set<String> = []
        if isByContent {
            if free.count == columns.count, new.rows.count < old.rows.count { effects.insert(loss) }
            for column in free where said.updated["\(name).\(column)"] == false {
                func empty(_ table: Table) -> Int { table.rows.count { $0.row[column] == .null } }
                if empty(new) > empty(old) { effects.insert("allow changed values of column \(name).\(column)") }
            }
        }
        let unsaid = columns.filter { !free.contains($0) }
        if isByContent, free.count < columns.count {
            // Of a table that is the same one, as many rows of each content are to stand as before.
            let countsAll = key != nil && !said.replaced.contains(name)
            let hasGone = Dictionary(grouping: old.rows) { content($0.row) }.contains { group, rows in
                let left = new.rows.count { content($0.row) == group }
                let elsewhere = rows.count { archived.contains($0.row) }
                return (countsAll || left == 0) && rows.count > left + elsewhere
            }
            if hasGone {
                let changed = changedColumns(old, new, unsaid).map { "allow changed values of column \(name).\($0)" }
                effects.formUnion(changed.isEmpty ? [loss] : changed)
            }
        }
        for (id, row) in old.rows where !isByContent {
            guard let other = now[id] else {
                let stands = archived.contains(row) || whole.contains(row)
                if !stands { effects.insert(loss) }
                continue
            }
            let changed = columns.filter { column in
                guard row[column] != other[column] else { return false }
                // A value in place of none loses nothing, where a statement fills the table.
                if said.replaced.contains(name), row[column] == .null { return false }
                guard let saysNull = said.updated["\(name).\(column)"] else { return true }
                return other[column] == .null && !saysNull
            }
            guard !changed.isEmpty, !whole.contains(row) else { continue }
            if !said.replaced.contains(name), said.deleted.contains(name), said.inserted.contains(name) {
                effects.insert(loss)
            } else {
                for column in changed { effects.insert("allow changed values of column \(name).\(column)") }
            }
        }
        return effects
    }

    /// The columns whose values differ, where the other columns distinguish rows by content and are the same in every row; none
    /// if the rows themselves are others.
    private func changedColumns(_ old: Table, _ new: Table, _ columns: [String]) -> [String] {
        guard old.rows.count == new.rows.count else { return [] }
        func contents(_ table: Table, _ columns: [String]) -> [[Value?]: Int] {
            Dictionary(table.rows.map { row in (columns.map { row.row[$0] }, 1) }, uniquingKeysWith: +)
        }
        let same = columns.filter { contents(old, [$0]) == contents(new, [$0]) }
        guard !same.isEmpty, contents(old, same) == contents(new, same) else { return [] }
        return columns.filter { !same.contains($0) }
    }
}
