/// What one run of a change knows of its passes over the rows, from the first row to the last. The column registry
/// stores how far the current pass came.
final class SealingPass {
    /// Makes cells of the next rows meanwhile; nil if that is of no use.
    let ahead: SealingPrefetch?
    /// The row with which the current pass ends; nil at its beginning. Rows after it were added meanwhile, and are
    /// already in their new form. A program that adds rows faster than a pass changes them does not prolong it.
    private(set) var end: Int64?
    /// How many passes have left rows to change, because another program wrote past the guards or under another key.
    private var incomplete = 0

    init(_ change: SealingChange, _ keys: FieldKeys, _ connection: borrowing Connection) {
        ahead = SealingPrefetch(change, keys, connection)
    }

    /// The row with which the current pass ends, or nil if the table has no rows.
    func end(_ rowID: String, _ shape: SealedTable, _ connection: borrowing Connection) throws -> Int64? {
        if let end { return end }
        let sql = "SELECT max(\(rowID)) FROM main.\(shape.quotedName)"
        end = try connection.value(SQL(verbatim: sql), as: Int64?.self) ?? nil
        return end
    }

    /// Notes that a pass has left rows. Returns whether no other pass will do better, because more passes have left
    /// rows than may.
    func isLast(of maximum: Int) -> Bool {
        incomplete += 1
        end = nil
        return incomplete > maximum
    }
}
