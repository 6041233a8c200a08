/// The triggers that keep programs without the fields keyring from spoiling a sealed column: any of SQLite's
/// tools runs them, and no key is needed to make them.
///
/// They protect from accidents. Who means harm can drop a trigger; such a cell does not open.
struct SealingGuards {
    let table: String
    let column: String
    let mode: SealedColumn.Mode
    /// The columns of the row's key, to which cells are bound.
    let key: [String]

    init(_ shape: SealedTable, _ column: String, _ mode: SealedColumn.Mode) {
        table = shape.name
        self.column = column
        self.mode = mode
        key = mode == .random ? shape.key.columns.map(\.name) : []
    }

    private enum Kind: String, CaseIterable {
        case insert, update, key, unsealing
    }

    private func name(_ kind: Kind) -> String {
        SQLTokens.quote(Self.name(kind, column, of: table))
    }

    private static func name(_ kind: Kind, _ column: String, of table: String) -> String {
        "\(EngineTables.guardPrefix)\(table)_\(column)_\(kind.rawValue)"
    }

    /// By which it is told that a column has them.
    static func insertionName(_ column: String, of table: String) -> String {
        name(.insert, column, of: table)
    }

    /// Removes them, in whatever state the column was.
    var removal: [String] { Kind.allCases.map { "DROP TRIGGER IF EXISTS main.\(name($0))" } }

    /// Those that a column has in a state.
    func due(in state: SealedColumn.State) -> [String] {
        switch state {
        case .migrating, .sealed: sealing
        case .unsealing: unsealing
        case .plaintext: []
        }
    }

    /// For a column that is to be written sealed.
    private var sealing: [String] {
        let value = "NEW.\(SQLTokens.quote(column))"
        let foreign = "\(value) IS NOT NULL AND NOT \(CellShape.matches(value, mode))"
        let reason =
            "\(table).\(column) is sealed: write through \(OpenViews.name(of: table)), with the fields keyring of its dataset"
        var triggers = [
            trigger(.insert, "INSERT", foreign, reason),
            trigger(.update, "UPDATE OF \(SQLTokens.quote(column))", foreign, reason),
        ]
        if !key.isEmpty {
            let moved = key.map {
                "NEW.\(SQLTokens.quote($0)) IS NOT OLD.\(SQLTokens.quote($0)) COLLATE BINARY"
            }
            triggers.append(
                trigger(
                    .key, "UPDATE OF \(key.map(SQLTokens.quote).joined(separator: ", "))",
                    "\(value) IS NOT NULL AND \(value) IS OLD.\(SQLTokens.quote(column)) AND (\(moved.joined(separator: " OR ")))",
                    "the cells of \(table).\(column) are sealed to their primary key: change it through \(OpenViews.name(of: table))"
                ))
        }
        return triggers
    }

    /// For a column on its way back to plaintext, which takes anything but what could not be told from a cell.
    private var unsealing: [String] {
        let value = "NEW.\(SQLTokens.quote(column))"
        let name = SQLTokens.quote(column)
        let reason =
            "a value for \(table).\(column) begins as a sealed one does: write it once the column is unsealed"
        return [
            trigger(
                .unsealing, "UPDATE OF \(name)",
                "\(value) IS NOT OLD.\(name) AND \(CellShape.matches(value, mode))", reason)
        ]
    }

    private func trigger(
        _ kind: Kind, _ event: String, _ condition: String, _ reason: String
    ) -> String {
        let text = reason.replacing("'", with: "''")
        return "CREATE TRIGGER main.\(name(kind)) BEFORE \(event) ON \(SQLTokens.quote(table)) "
            + "WHEN \(condition) BEGIN SELECT RAISE(ABORT, '\(text)'); END"
    }
}
