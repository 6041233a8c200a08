@testable import EngineTestSupport
@testable import Lockstep

extension OperatorMutation {
    /// Writes `values` to the columns `names` of a column's row at `place`.
    private static func set(
        _ column: OperatorTruth.Column, _ names: [String], _ values: [Value], at place: [Value],
        _ connection: borrowing Connection
    ) throws {
        try connection.dropGuards()
        let assignments = names.map { "\(SQLTokens.quote($0)) = ?" }.joined(separator: ", ")
        let conditions = column.key.map { "\(SQLTokens.quote($0)) IS ?" }
            .joined(separator: " AND ")
        let update = try connection.prepare(
            SQL(verbatim: "UPDATE main.\(column.table) SET \(assignments) WHERE \(conditions)"))
        try update.bind(values: values + place)
        try update.forEach { _ in }
    }

    /// A row of a sealed column: its key, then the column's value and its tokens.
    private static func row(
        _ column: OperatorTruth.Column, _ connection: borrowing Connection, _ dice: inout Dice
    ) throws -> (place: [Value], cell: Value, tokens: [Value]) {
        let rows = try TableRows(column.table, connection, column.key + [column.name] + column.tokens)
        let row = try dice.pick(rows.rows)
        let count = column.key.count
        return (Array(row[..<count]), row[count], Array(row[(count + 1)...]))
    }

    private static func column(_ dice: inout Dice) throws -> OperatorTruth.Column {
        try dice.pick(OperatorTruth.sealed.filter { $0.name != "fee" || dice.prototype.isMigrating })
    }

    /// The content of sealed columns.
    static let cells: [OperatorMutation] = [
        OperatorMutation("two cells exchanged") { connection, dice in
            let column = try column(&dice)
            let (one, other) = (try row(column, connection, &dice), try row(column, connection, &dice))
            guard one.place != other.place, one.cell != other.cell else { throw Nothing() }
            let names = [column.name] + column.tokens
            // Unique tokens would occur twice for a moment.
            let nothing = [Value](repeating: .null, count: column.tokens.count)
            if !nothing.isEmpty {
                try set(column, column.tokens, nothing, at: other.place, connection)
            }
            try set(column, names, [other.cell] + other.tokens, at: one.place, connection)
            try set(column, names, [one.cell] + one.tokens, at: other.place, connection)
        },
        OperatorMutation("a cell of another row") { connection, dice in
            let column = try column(&dice)
            let (one, other) = (try row(column, connection, &dice), try row(column, connection, &dice))
            guard one.cell != other.cell else { throw Nothing() }
            try set(column, [column.name], [other.cell], at: one.place, connection)
        },
        OperatorMutation("a cell of another column") { connection, dice in
            let (column, source) = (try column(&dice), try column(&dice))
            guard column.name != source.name else { throw Nothing() }
            let one = try row(column, connection, &dice)
            let other = try row(source, connection, &dice)
            try set(column, [column.name], [other.cell], at: one.place, connection)
        },
        OperatorMutation("an older cell put back with its tokens") { connection, dice in
            let column = try column(&dice)
            let one = try row(column, connection, &dice)
            let place = OperatorPrototype.CellPlace(table: column.table, column: column.name, key: one.place)
            let former = try dice.pick(Array(dice.prototype.formerCells[place] ?? []).sorted())
            try set(
                column, [column.name] + column.tokens, [former.cell] + former.tokens,
                at: one.place, connection)
        },
        OperatorMutation("an older cell put back alone") { connection, dice in
            let column = try column(&dice)
            let one = try row(column, connection, &dice)
            let place = OperatorPrototype.CellPlace(table: column.table, column: column.name, key: one.place)
            let former = try dice.pick(Array(dice.prototype.formerCells[place] ?? []).sorted())
            try set(column, [column.name], [former.cell], at: one.place, connection)
        },
        OperatorMutation("a cell of another database") { connection, dice in
            let column = try column(&dice)
            let other = dice.flip() ? dice.prototype.otherDatabase : dice.prototype.otherDataset
            guard let rows = other.rows.first(where: { $0.table == column.table }) else {
                throw Nothing()
            }
            let row = try dice.pick(rows.rows)
            func values(_ names: [String]) -> [Value] {
                names.map { rows.columns.firstIndex(of: $0).map { row[$0] } ?? .null }
            }
            let names = [column.name] + (dice.flip() ? column.tokens : [])
            try set(column, names, values(names), at: values(column.key), connection)
        },
        OperatorMutation("a cell made NULL") { connection, dice in
            let column = try column(&dice)
            let one = try row(column, connection, &dice)
            let names = [column.name] + (dice.flip() ? column.tokens : [])
            try set(
                column, names, names.map { _ in .null }, at: one.place, connection)
        },
        OperatorMutation("plaintext in the place of a cell") { connection, dice in
            let column = try column(&dice)
            let one = try row(column, connection, &dice)
            let value = try dice.pick([
                Value.text("OPERATOR"), .integer(7), .real(0.5), .blob([]), .blob([1, 2, 3]), .text(""),
            ])
            try set(column, [column.name], [value], at: one.place, connection)
        },
        OperatorMutation("a cell damaged") { connection, dice in
            let column = try column(&dice)
            let one = try row(column, connection, &dice)
            guard case .blob(let bytes) = one.cell else { throw Nothing() }
            try set(
                column, [column.name], [.blob(dice.damaged(bytes))], at: one.place, connection)
        },
        OperatorMutation("a cell made up") { connection, dice in
            let column = try column(&dice)
            let one = try row(column, connection, &dice)
            let format = try dice.pick([UInt8(0xF9), 0xFA, 0xFB, 0xF8, 0xFC, 0xFD, 0xFE])
            let cell = [format, 0, 0, 0, UInt8(dice.number(0...2))] + dice.bytes(60)
            try set(column, [column.name], [.blob(cell)], at: one.place, connection)
        },
        OperatorMutation("a row under another key") { connection, dice in
            let column = try column(&dice)
            let one = try row(column, connection, &dice)
            try connection.dropGuards()
            try set(
                column, [column.key[column.key.count - 1]], [.integer(dice.number(50...99))], at: one.place, connection)
        },
        OperatorMutation("rows deleted") { connection, dice in
            let film = dice.number(1...12)
            try connection.execute("DELETE FROM main.credit WHERE film = ?", film)
            if dice.flip() { try connection.execute("DELETE FROM main.film WHERE id = ?", film) }
        },
        OperatorMutation("a row added") { connection, dice in
            try connection.dropGuards()
            let column = try column(&dice)
            try addAny(to: column.table, connection, &dice)
        },
        OperatorMutation("a plain value changed") { connection, dice in
            try connection.execute(
                "UPDATE main.film SET year = ? WHERE id = ?", dice.number(1900...2000), dice.number(1...12))
        },
    ]

    /// The content of blind indexes.
    static let tokens: [OperatorMutation] = [
        OperatorMutation("a token changed") { connection, dice in
            try connection.dropGuards()
            let column = OperatorTruth.sealed[0]
            let one = try row(column, connection, &dice)
            let place = Int(dice.number(0...Int64(column.tokens.count - 1)))
            let value = dice.change(one.tokens[place])
            guard value != one.tokens[place] else { throw Nothing() }
            try set(column, [column.tokens[place]], [value], at: one.place, connection)
        },
        OperatorMutation("a token of another row") { connection, dice in
            let column = OperatorTruth.sealed[0]
            let (one, other) = (try row(column, connection, &dice), try row(column, connection, &dice))
            guard one.tokens[0] != other.tokens[0] else { throw Nothing() }
            try set(column, [column.tokens[0]], [other.tokens[0]], at: one.place, connection)
        },
        OperatorMutation("tokens exchanged") { connection, dice in
            let column = OperatorTruth.sealed[0]
            let (one, other) = (try row(column, connection, &dice), try row(column, connection, &dice))
            guard one.tokens != other.tokens else { throw Nothing() }
            try set(column, column.tokens, [.null, .null], at: other.place, connection)
            try set(column, column.tokens, other.tokens, at: one.place, connection)
            try set(column, column.tokens, one.tokens, at: other.place, connection)
        },
        OperatorMutation("tokens made NULL") { connection, dice in
            let column = OperatorTruth.sealed[0]
            if dice.flip() {
                try connection.execute("UPDATE main.film SET title_casefold_token = NULL")
            } else {
                let one = try row(column, connection, &dice)
                try set(column, [dice.pick(column.tokens)], [.null], at: one.place, connection)
            }
        },
        OperatorMutation("a token of another database") { connection, dice in
            let column = OperatorTruth.sealed[0]
            let one = try row(column, connection, &dice)
            guard let rows = dice.prototype.otherDatabase.rows.first(where: { $0.table == "film" }),
                let place = rows.columns.firstIndex(of: column.tokens[0])
            else { throw Nothing() }
            try set(
                column, [column.tokens[0]], [dice.pick(rows.rows)[place]], at: one.place,
                connection)
        },
        OperatorMutation("the index over tokens dropped") { connection, dice in
            let names = try connection.texts(
                "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql LIKE '%token%'")
            try connection.execute("DROP INDEX main.\(name: dice.pick(names) ?? "")")
        },
    ]
}

extension OperatorPrototype.FormerCell: Comparable {
    /// An arbitrary order, the same in every run of a seed.
    static func < (one: Self, other: Self) -> Bool { "\(one)" < "\(other)" }
}
