extension SealingChange {
    /// Puts BLOBs in the form of cells, which nothing opens, in the place of the values that it would seal: for a copy
    /// on which migrations are tried without keys. Equal values get equal BLOBs if the mode gives them equal cells. A
    /// value that has the form of a cell stays.
    func imitateCells(on connection: borrowing Connection) throws {
        guard case .protect(let mode, _, _) = goal else { return }
        let shape = try shape(connection)
        try ProtectionChecks.requireSealable(column, mode, shape, connection)
        let name = SQLTokens.quote(column)
        let format: CellFormat = mode == .random ? .random : .deterministic
        let prefix = [format.byte(.second), 0, 0, 0, 1] + [UInt8](repeating: 0x61, count: format.overhead)
        var parts = ["x'\(Hex.encode(prefix))'", "substr(typeof(\(name)), 1, 1)", name]
        if mode == .random { parts.append("randomblob(16)") }
        // The values of a row that is written by a trigger would be written again.
        try connection.executeWithoutTriggers(
            SQL(
                verbatim: """
                    UPDATE main.\(shape.quotedName) SET \(name) = CAST(\(parts.joined(separator: " || ")) AS BLOB)
                    WHERE \(name) IS NOT NULL AND NOT \(CellShape.matches(name, mode))
                    """), [])
    }
}
