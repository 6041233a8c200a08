import TestSupport

@testable import EngineTestSupport
@testable import Lockstep

/// A database of random tables, some columns of which are sealed, and of plaintext twins with the same rows.
///
/// A sealed column has neither the affinity nor the collation of its declared type: it is an expression of its view. So
/// the twin's column is declared without a type, and its view selects it with a unary plus, which removes both.
struct TwinDatabase: ~Copyable {
    /// One table in both forms.
    struct Table {
        let name: String
        let columns: [Column]
        let isKeyedByText: Bool

        struct Column {
            let name: String
            let type: String
            let sealing: SealedColumn.Mode?
            let hasIndex: Bool
        }

        var sealed: [Column] { columns.filter { $0.sealing != nil } }
        /// The view of the sealed table, and that of its twin.
        var open: String { sealed.isEmpty ? name : "\(name)_open" }
        var plain: String { "\(name)_plain" }
        var names: [String] { ["id"] + columns.map(\.name) }
    }

    let connection: Connection
    let tables: [Table]
    let bench: SealedTableWorkbench

    static func make(_ dice: inout HostileDice, rows: Int = 24) throws -> TwinDatabase {
        let bench = try SealedTableWorkbench(rows: 0)
        let connection = try bench.open()
        var tables: [Table] = []
        for name in ["t", "u"] {
            let table = table(name, &dice)
            try make(table, connection)
            try fill(table, rows: rows / 2, &dice, connection)
            for column in table.sealed {
                try connection.protect(
                    column.name, of: name, keys: bench.keys, mode: column.sealing ?? .random,
                    padding: dice.chance(2) ? .none : .multiple(of: 16),
                    indexes: column.hasIndex ? [.init(.exact, mayBeHistogram: true)] : [], batch: 5)
            }
            tables.append(table)
        }
        let made = TwinDatabase(connection: connection, tables: tables, bench: bench)
        for table in tables { try made.write(table, rows: rows, &dice) }
        return made
    }

    private static func table(_ name: String, _ dice: inout HostileDice) -> Table {
        let columns = (0..<(2 + dice.number(below: 3))).map { number in
            // The first column is always sealed.
            let isSealed = number == 0 || dice.chance(2)
            return Table.Column(
                name: "c\(number)", type: dice.pick(["", "INTEGER", "REAL", "TEXT", "BLOB", "NUM"]),
                sealing: isSealed ? dice.pick([.random, .random, .deterministic]) : nil,
                hasIndex: isSealed && dice.chance(3))
        }
        return Table(name: name, columns: columns, isKeyedByText: dice.chance(3))
    }

    private static func make(_ table: Table, _ connection: borrowing Connection) throws {
        let key = table.isKeyedByText ? "TEXT NOT NULL PRIMARY KEY" : "INTEGER PRIMARY KEY"
        let end = table.isKeyedByText ? " WITHOUT ROWID" : ""
        let columns = table.columns.map { "\($0.name) \($0.type)" }
        let twins = table.columns.map { "\($0.name) \($0.sealing == nil ? $0.type : "")" }
        let shown = table.columns.map { $0.sealing == nil ? $0.name : "+\($0.name) AS \($0.name)" }
        let twin = "\(table.name)_twin"
        let list = { (columns: [String]) in columns.joined(separator: ", ") }
        try connection.run(
            script: """
                CREATE TABLE \(table.name) (\(list(["id \(key)"] + columns)))\(end);
                CREATE TABLE \(twin) (\(list(["id \(key)"] + twins)))\(end);
                CREATE TEMP VIEW \(table.plain) AS SELECT \(list(["id"] + shown)) FROM main.\(twin);
                """)
    }

    /// Rows that exist before the table is sealed, as their columns' types store them.
    private static func fill(
        _ table: Table, rows: Int, _ dice: inout HostileDice, _ connection: borrowing Connection
    ) throws {
        for number in 0..<rows {
            let values = values(of: table, number, &dice)
            try connection.run(script: "INSERT INTO \(table.name) VALUES (\(values.joined(separator: ", ")))")
        }
        try connection.run(
            script: "INSERT INTO \(table.name)_twin SELECT * FROM \(table.name)")
    }

    private static func values(
        of table: Table, _ number: Int, _ dice: inout HostileDice
    ) -> [String] {
        var literals = TwinPredicate(dice: dice, columns: table.names, other: nil)
        defer { dice = literals.dice }
        let id = table.isKeyedByText ? "'row \(number)'" : "\(number)"
        return [id] + table.columns.map { _ in literals.literal() }
    }

    /// Writes the same row through the sealed table's view and into the twin.
    private func write(_ table: Table, rows: Int, _ dice: inout HostileDice) throws {
        let twin = "\(table.name)_twin"
        for number in (rows / 2)..<rows {
            let values = Self.values(of: table, number, &dice).joined(separator: ", ")
            try connection.run(
                script: """
                    INSERT INTO \(table.open) (\(table.names.joined(separator: ", "))) VALUES (\(values));
                    INSERT INTO \(twin) VALUES (\(values));
                    """)
        }
        for _ in 0..<3 {
            let column = dice.pick(table.columns).name
            var predicates = TwinPredicate(dice: dice, columns: table.names, other: nil)
            let value = predicates.literal()
            let condition = predicates.make(depth: 1)
            dice = predicates.dice
            try connection.run(
                script: """
                    UPDATE \(twin) SET \(column) = \(value)
                    WHERE id IN (SELECT id FROM \(table.plain) WHERE \(condition));
                    UPDATE \(table.open) SET \(column) = \(value) WHERE \(condition);
                    """)
        }
        let gone = dice.number(below: rows)
        let id = table.isKeyedByText ? "'row \(gone)'" : "\(gone)"
        try connection.run(
            script:
                "DELETE FROM \(twin) WHERE id = \(id); DELETE FROM \(table.open) WHERE id = \(id)")
    }

    /// Changes the twin's first row, as if the sealed table gave a wrong answer.
    func plant() throws {
        try connection.execute("UPDATE t_twin SET c0 = 'planted' WHERE id = (SELECT min(id) FROM t_twin)")
    }
}
