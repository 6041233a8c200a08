internal import CSQLCipher

/// The rows that statements write through views.
///
/// A view's triggers write them, and SQLite does not count what triggers write. When a trigger ends, SQLite also resets
/// the last inserted row.
@safe
final class ViewWrites {
    private let database: OpaquePointer
    private var pendingRows = 0
    private var insertedRow: Int64?
    private let isPending = Flag()
    private var lastRows = 0
    private let isLast = Flag()

    init(_ database: OpaquePointer) { unsafe self.database = unsafe database }

    /// How many rows the last INSERT, UPDATE or DELETE changed in its table, or through its view.
    var changes: Int { isLast.isSet ? lastRows : unsafe Int(sqlite3_changes64(database)) }

    /// Notes what a trigger has written in place of a view.
    func note(_ rows: Int, inserted row: Int64?) {
        guard rows > 0 else { return }
        if !isPending.isSet { (pendingRows, insertedRow) = (0, nil) }
        pendingRows += rows
        insertedRow = row ?? insertedRow
        isPending.isSet = true
    }

    /// Called before a statement runs: one that writes has a number of changes of its own.
    func begin(_ statement: OpaquePointer) {
        guard isLast.isSet else { return }
        if unsafe sqlite3_stmt_readonly(statement) == 0 { isLast.isSet = false }
    }

    /// Forgets what a failed statement noted: it was undone with the statement.
    func forget() { isPending.isSet = false }

    /// Called once the statement has ended.
    func report() {
        guard isPending.isSet else { return }
        isPending.isSet = false
        if let insertedRow { unsafe sqlite3_set_last_insert_rowid(database, insertedRow) }
        // A program's trigger can write a view, too. Then the statement has changed rows itself, and SQLite has counted
        // them.
        guard unsafe sqlite3_changes64(database) == 0 else { return }
        lastRows = pendingRows
        isLast.isSet = true
    }
}
