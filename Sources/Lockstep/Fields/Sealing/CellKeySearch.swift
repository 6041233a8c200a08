/// Looks in one column for cells by the version of their field key, without opening them.
struct CellKeySearch {
    /// Which versions are looked for.
    enum Versions {
        /// Only this one.
        case only(UInt32)
        /// Each one but this.
        case allBut(UInt32)

        func contains(_ version: UInt32) -> Bool {
            switch self {
            case .only(let one): version == one
            case .allBut(let one): version != one
            }
        }
    }

    let shape: SealedTable
    let column: String
    let mode: SealingMode
    let versions: Versions

    /// An SQL condition: whether a row has such a cell.
    static func condition(_ column: String, _ mode: SealingMode, _ versions: Versions) -> String {
        let name = SQLTokens.quote(column)
        let (relation, version) =
            switch versions {
            case .only(let one): ("=", one)
            case .allBut(let one): ("<>", one)
            }
        return "\(CellShape.matches(name, mode)) AND substr(\(name), 2, 4) \(relation) "
            + "x'\(Hex.encode(version.bigEndianBytes))'"
    }

    /// Whether any row has such a cell. Reads the whole column if none has; of large cells only the beginning.
    func isAny(_ connection: borrowing Connection) throws -> Bool {
        var condition = Self.condition(column, mode, versions)
        let large = LargeCells(shape, column)
        if let large { condition = "CASE WHEN \(large.condition) THEN 0 ELSE \(condition) END" }
        let sql = "SELECT EXISTS (SELECT 1 FROM main.\(shape.quotedName) WHERE \(condition))"
        if try connection.value(SQL(verbatim: sql), as: Bool.self) == true { return true }
        return try large?.rows("", [], connection).contains { row in
            guard let prefix = try large?.prefix(row, connection) else { return false }
            return versions.contains(prefix.keyVersion)
        } ?? false
    }
}
