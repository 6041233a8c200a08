import BenchKit

/// A column of the corpus.
struct CorpusColumn: Hashable, Sendable {
    let name: String
    let type: String
    /// The table that it refers to.
    var parent: String?
    /// Whether a rebuild has put a constraint on it.
    var isBounded = false

    var definition: String {
        "\(name) \(type)" + (isBounded ? " CHECK (\(name) IS NULL OR length(\(name)) < 100000)" : "")
    }
}

/// A table of the corpus in its current state.
struct CorpusTable: Hashable, Sendable {
    let name: String
    var columns: [CorpusColumn] = []
    /// Its indexes and triggers.
    var dependents: [String] = []
    /// Rows that a migration has inserted; their keys count from 1.
    var rows = 0

    init(name: String) { self.name = name }

    /// The statement that creates it under a name.
    func definition(as name: String) -> String {
        let lines = columns.map { "    \($0.definition)" }
        return "CREATE TABLE \(name) (\n\(lines.joined(separator: ",\n"))\n)"
    }

    /// A rebuild by hand, as described in SQLite's manual ("Making Other Kinds Of Table Schema Changes"), without
    /// switching foreign keys.
    var rebuild: [String] {
        let names = columns.map(\.name).joined(separator: ", ")
        return [
            definition(as: "new_\(name)"),
            "INSERT INTO new_\(name) (\(names)) SELECT \(names) FROM \(name)",
            "DROP TABLE \(name)",
            // Otherwise views that refer to the table would prevent the rename.
            "PRAGMA legacy_alter_table = ON",
            "ALTER TABLE new_\(name) RENAME TO \(name)",
            "PRAGMA legacy_alter_table = OFF",
        ] + dependents
    }

    /// An INSERT of a number of rows whose references exist.
    func insertion(of count: Int, _ tables: [CorpusTable], _ number: Int) -> String {
        var names: [String] = ["id"]
        var values: [String] = ["i"]
        for column in columns.dropFirst() {
            names.append(column.name)
            if let parent = column.parent {
                let rows = tables.first { $0.name == parent }?.rows ?? 0
                values.append(rows > 0 ? "1 + i % \(rows)" : "NULL")
            } else if column.type.hasPrefix("TEXT") {
                values.append("'text \(number) ' || i")
            } else if column.type.hasPrefix("BLOB") {
                values.append("zeroblob(32)")
            } else {
                values.append("i * \(number)")
            }
        }
        return """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO \(name) (\(names.joined(separator: ", ")))
            SELECT \(values.joined(separator: ", ")) FROM n
            """
    }
}
