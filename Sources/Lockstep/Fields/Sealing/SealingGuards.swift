/// The triggers that keep programs without the fields keyring from corrupting a sealed column. Any SQLite tool runs
/// them, and creating them needs no key.
///
/// They protect against accidents. An attacker can drop a trigger, but a cell that was changed then does not open.
struct SealingGuards {
    let table: String
    let column: String
    let mode: SealedColumn.Mode
    /// The binding versions of the cells that they accept.
    private let versions: [BindingVersion]
    /// The columns of the row's key, which cells are bound to.
    let key: [String]
    /// The prefix of their names.
    private let base: String
    /// The column's existing guards, whatever its name was at their creation.
    private let standing: [SealingGuard]

    /// - Parameters:
    ///   - versions: The binding versions of the cells that programs may write. A program that has not noticed that the
    ///     column got an identity would otherwise write cells that nobody reads.
    ///   - indexes: The column's future indexes, whose names have the same prefix.
    init(
        _ shape: SealedTable, _ column: String, _ mode: SealedColumn.Mode, _ versions: [BindingVersion],
        _ indexes: [SealedIndex.Request] = [], _ connection: borrowing Connection
    ) throws {
        table = shape.name
        self.column = column
        self.mode = mode
        self.versions = versions
        key = shape.boundColumns(mode).map(\.name)
        standing = try SealingGuard.all(of: column, shape.name, connection)
        base =
            try standing.first?.base
            ?? Self.freeBase("\(EngineTables.guardPrefix)\(shape.name)_\(column)", indexes, connection)
    }

    /// Another column that had this name when it was sealed might have taken the names.
    private static func freeBase(
        _ plain: String, _ indexes: [SealedIndex.Request], _ connection: borrowing Connection
    ) throws -> String {
        let endings = SealingGuard.Kind.allCases.map(\.rawValue) + indexes.map(SealedIndexColumns.ending)
        let taken = try connection.query(
            "SELECT name FROM main.sqlite_schema WHERE substr(name, 1, ?) = ? COLLATE NOCASE",
            // SQLite counts characters of a text.
            plain.unicodeScalars.count, plain
        ) { row in try row[0] as SQLName }
        var base = plain
        var count = 1
        while endings.contains(where: { taken.contains(SQLName("\(base)_\($0)")) }) {
            count += 1
            base = "\(plain)_\(count)"
        }
        return base
    }

    private func name(_ kind: SealingGuard.Kind) -> String {
        SQLTokens.quote("\(base)_\(kind.rawValue)")
    }

    /// Replaces the existing guards with those for a state.
    func put(for state: SealedColumn.State, _ connection: borrowing Connection) throws {
        let removal = standing.map { "DROP TRIGGER main.\(SQLTokens.quote($0.name))" }
        for statement in removal + statements(in: state) {
            try connection.execute(SQL(verbatim: statement))
        }
    }

    /// The guards for a state.
    private func statements(in state: SealedColumn.State) -> [String] {
        switch state {
        case .migrating, .sealed, .resealing: sealing
        case .unsealing: unsealing
        case .plaintext: []
        }
    }

    /// For a column whose new values must be sealed.
    private var sealing: [String] {
        let value = "NEW.\(SQLTokens.quote(column))"
        let foreign = "\(value) IS NOT NULL AND NOT \(CellShape.matches(value, mode, versions))"
        let reason =
            "\(table).\(column) is sealed: write through \(DecryptingViews.name(of: table)), with the fields keyring of its dataset"
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
                    "the cells of \(table).\(column) are sealed to their primary key: change it through \(DecryptingViews.name(of: table))"
                ))
        }
        return triggers
    }

    /// For a column that is being unsealed. It accepts any value that is distinguishable from a cell.
    private var unsealing: [String] {
        let value = "NEW.\(SQLTokens.quote(column))"
        let name = SQLTokens.quote(column)
        let reason = "a value for \(table).\(column) begins as a sealed one does: write it once the column is unsealed"
        return [
            trigger(
                .unsealing, "UPDATE OF \(name)",
                "\(value) IS NOT OLD.\(name) AND \(CellShape.matches(value, mode))", reason)
        ]
    }

    private func trigger(_ kind: SealingGuard.Kind, _ event: String, _ condition: String, _ reason: String) -> String {
        return "CREATE TRIGGER main.\(name(kind)) BEFORE \(event) ON \(SQLTokens.quote(table)) "
            + "WHEN \(condition) BEGIN SELECT RAISE(ABORT, \(SQLTokens.quoteText(reason))); END"
    }
}
