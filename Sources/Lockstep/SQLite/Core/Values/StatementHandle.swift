internal import CSQLCipher

/// SQLite's object of a statement, and what the statement's rows and parameters need of it.
@safe
@usableFromInline
class StatementHandle {
    @usableFromInline
    final let handle: OpaquePointer
    final let buffer: ParameterBuffer?
    /// For decoders of the statement's rows.
    private final var ownReader: RowReader?
    private final var layout: ColumnLayout?
    /// Whether the layout is known to match this run.
    private final let isLayoutCurrent = Flag()

    init(_ handle: OpaquePointer, hasParameters: Bool) {
        unsafe self.handle = unsafe handle
        buffer = hasParameters ? ParameterBuffer() : nil
    }

    /// Before each run: the table can have other columns by then.
    final func expectOtherColumns() { isLayoutCurrent.isSet = false }

    /// Before the statement is finalized.
    final func giveBackReader() {
        ownReader?.giveBack()
        ownReader = nil
    }

    final var reader: RowReader {
        if let ownReader { return ownReader }
        let reader = RowReader.take()
        ownReader = reader
        return reader
    }

    /// The names of the columns, looked up once per preparation by SQLite.
    final var columns: ColumnLayout {
        if isLayoutCurrent.isSet, let layout { return layout }
        let preparations = unsafe sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0)
        isLayoutCurrent.isSet = true
        if let layout, layout.preparations == preparations { return layout }
        let names = unsafe (0..<sqlite3_column_count(handle)).map { column in
            unsafe sqlite3_column_name(handle, column).map { unsafe String(cString: $0) } ?? ""
        }
        let fresh = ColumnLayout(names, preparations: preparations)
        layout = fresh
        return fresh
    }
}
