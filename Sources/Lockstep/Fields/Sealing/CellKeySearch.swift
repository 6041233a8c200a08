/// Looks in one column for cells by their prefix, without opening them.
struct CellKeySearch {
    /// Which cells are looked for.
    enum Wanted {
        /// Those under this version of the field key.
        case under(UInt32)
        /// Those that resealing changes: under any other version of the field key, or bound to the column's number
        /// although the column has an identity.
        case old(active: UInt32, BindingVersion)

        /// The cells of a column that resealing changes.
        static func old(_ column: SealedColumn, _ keys: FieldKeys) -> Self {
            .old(active: keys.activeVersion, CellOwner(column.id, column.identity).version)
        }

        func contains(_ prefix: CellPrefix) -> Bool {
            switch self {
            case .under(let version): prefix.keyVersion == version
            case .old(let active, let binding):
                prefix.keyVersion != active || prefix.binding.rawValue < binding.rawValue
            }
        }

        /// An SQL condition on something that looks like a cell.
        fileprivate func condition(_ cell: String, _ mode: SealingMode) -> String {
            let version = "substr(\(cell), 2, 4)"
            switch self {
            case .under(let one): return "\(version) = \(Self.literal(one))"
            case .old(let active, let binding):
                let isUnderOther = "\(version) <> \(Self.literal(active))"
                guard binding != .first else { return isUnderOther }
                return "(\(isUnderOther) OR \(CellShape.isOf(.first, cell, mode)))"
            }
        }

        private static func literal(_ version: UInt32) -> String {
            "x'\(Hex.encode(version.bigEndianBytes))'"
        }
    }

    let shape: SealedTable
    let column: String
    let mode: SealingMode
    let wanted: Wanted

    /// An SQL condition: whether a row has such a cell.
    static func condition(_ column: String, _ mode: SealingMode, _ wanted: Wanted) -> String {
        let name = SQLTokens.quote(column)
        return "\(CellShape.matches(name, mode)) AND \(wanted.condition(name, mode))"
    }

    /// Whether any row has such a cell. Reads the whole column if none has; of large cells only the beginning.
    func isAny(_ connection: borrowing Connection) throws -> Bool {
        var condition = Self.condition(column, mode, wanted)
        let large = LargeCells(shape, column)
        if let large { condition = "CASE WHEN \(large.condition) THEN 0 ELSE \(condition) END" }
        let sql = "SELECT EXISTS (SELECT 1 FROM main.\(shape.quotedName) WHERE \(condition))"
        if try connection.value(SQL(verbatim: sql), as: Bool.self) == true { return true }
        return try large?.rows("", [], connection).contains { row in
            guard let prefix = try large?.prefix(row, connection) else { return false }
            return wanted.contains(prefix)
        } ?? false
    }
}
