/// Stands for values that a statement carries along without needing them.
///
/// Before an UPDATE or DELETE through a view, SQLite computes every column of the row, also those that the statement
/// does not name. A value that is too long for SQL would end it. Such a value is not opened, and a stand-in takes its
/// place, if no running statement can need it. The view's trigger finds the stand-in in the old and the new row, and
/// leaves the cell.
final class UnopenedCells {
    private weak let core: ConnectionCore?
    private let bytes: [UInt8]
    /// What only the connection's own views and triggers contain.
    private let ownMark: String

    init(_ core: ConnectionCore, _ capability: CellCapability) throws(LockstepError) {
        self.core = core
        bytes = try Random.bytes(32)
        ownMark = capability.mark
    }

    /// The stand-in for a value of `column`; nil if a running statement can need the value.
    func standIn(for column: String, _ shape: SealedTable) -> [UInt8]? {
        guard let core else { return nil }
        let column = SQLName(column)
        // The call's own statement is one of those that are running.
        guard !core.isRunning(where: { Self.canNeed(column, $0) }) else { return nil }
        // A view or trigger of the program can read the column for a statement that does not name it.
        let others = try? core.ask(
            "SELECT sql FROM temp.sqlite_schema WHERE type IN ('view', 'trigger') AND instr(sql, ?) = 0", ownMark
        ) { row in try row[0] as String }
        guard let others, !others.contains(where: { Self.canNeed(column, $0) }) else { return nil }
        return bytes
    }

    /// Whether these bytes are the stand-in.
    func isStandIn(_ other: Span<UInt8>) -> Bool {
        let own = bytes
        return ConstantTime.equal(other, own.span)
    }

    /// Whether `sql` names the column, or reads columns without naming them: by `*`, by a natural join, or as in
    /// `(a, b) IN view`.
    static func canNeed(_ column: SQLName, _ sql: String) -> Bool {
        let text = Array(sql.utf8)
        var last = ""
        for token in SQLTokens(sql) {
            let word = String(decoding: text[token.range], as: UTF8.self)
            switch token.kind {
            case .space, .comment: continue
            case .word, .quotedName, .string:
                // SQLite takes a string for a name in some places.
                if SQLName(SQLTokens.unquote(word)) == column || last == "in" { return true }
                last = token.kind == .word ? word.asciiLowercased : ""
                if last == "natural" { return true }
            case .symbol:
                let selects = ["select", "distinct", "all", "returning", ",", "."]
                if word == "*", selects.contains(last) { return true }
                last = word
            case .blob, .number, .variable: last = ""
            }
        }
        return false
    }
}

extension SealedColumnAccess {
    func isTooLong(_ cell: Span<UInt8>) -> Bool {
        guard cell.count > CellFormat.longestForSQL, CellPrefix(cell)?.format == .chunked,
            let length = CellFormat.chunked.plaintextLength(cell.count)
        else { return false }
        return length > 1 + CellFormat.longestForSQL
    }

    /// What stands for a value that is too long, in a statement that does not need it.
    func standIn() throws(LockstepError) -> [UInt8] {
        guard let bytes = unopened.standIn(for: column.name, shape) else { throw tooLong }
        return bytes
    }

    var tooLong: LockstepError {
        LockstepError(
            .tooLarge, "a value of \(title) is longer than the \(CellFormat.longestForSQL >> 20) MiB that SQL can open",
            hint:
                "read it with Connection.withSealedBlob or Store.sealedChunks; a statement that neither names "
                + "the column nor selects `*` does not open it", context: column.context)
    }

    func isStandIn(
        _ call: borrowing FunctionCall, _ index: Int
    ) throws(LockstepError) -> Bool {
        guard call.kind(index) == .blob else { return false }
        return try call.withBytes(index) { unopened.isStandIn($0) }
    }
}
