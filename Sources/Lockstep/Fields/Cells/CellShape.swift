/// Recognises cells in SQL that any program can run, without a key or a function of the engine.
enum CellShape {
    /// SQL that tests whether an expression looks like a cell of such a column, by the same rules as ``CellPrefix``.
    static func matches(_ expression: String, _ mode: SealingMode) -> String {
        let alternatives = [mode.format, mode.largeFormat].compactMap(\.self).map { format in
            let byte = Hex.encode([format.rawValue])
            return
                "(substr(\(expression), 1, 1) = x'\(byte)' AND length(\(expression)) > \(format.overhead))"
        }
        return
            "(typeof(\(expression)) = 'blob' AND (\(alternatives.joined(separator: " OR "))) AND substr(\(expression), 2, 4) <> x'00000000')"
    }
}
