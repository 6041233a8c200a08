internal import CSQLCipher

/// Collects which rows the open transaction changes, while somebody wants to know.
///
/// SQLite tells of each row but of those that ON CONFLICT REPLACE removes, of tables WITHOUT ROWID, and of
/// a DELETE of all rows. Which tables a statement writes is known from its preparation; and where SQLite
/// has counted more changes than it told of, or a statement may replace rows, the rows of all tables that
/// were written count as unknown.
@safe
final class ChangeTracker {
    /// Above this many, the rows are not listed: 16 bytes each.
    private static let limit = 100_000

    private struct Event {
        let table: Int
        let row: Int64
    }

    private let database: OpaquePointer
    private let listens = Flag()
    private var events: [Event] = []
    private var tables: [String] = []
    private var written: Set<String> = []
    private var told: Int64 = 0
    private var countedBefore: Int64 = 0
    private var mayReplace = false
    private var isOverfull = false

    init(_ database: OpaquePointer) { unsafe self.database = unsafe database }

    var isOn: Bool { listens.isSet }

    // MARK: While the transaction runs

    /// Begins or ceases to listen, before a transaction's first statement.
    func setOn(_ on: Bool) {
        if on && !isOn { start() } else if !on && isOn { stop() }
        if isOn { clear() }
    }

    private func start() {
        listens.isSet = true
        // The connection stops the tracker before it goes.
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe _ = sqlite3_update_hook(
            database,
            { context, _, _, table, row in
                guard let context = unsafe context, let table = unsafe table else { return }
                unsafe Unmanaged<ChangeTracker>.fromOpaque(context).takeUnretainedValue()
                    .note(table, row)
            }, context)
    }

    /// Ceases to listen.
    func stop() {
        guard isOn else { return }
        listens.isSet = false
        unsafe _ = sqlite3_update_hook(database, nil, nil)
        clear()
    }

    /// A statement is about to run.
    func note(written tables: Set<String>, mayReplace: @autoclosure () -> Bool) {
        guard isOn, !tables.isEmpty else { return }
        written.formUnion(tables)
        if mayReplace() { self.mayReplace = true }
    }

    /// Where in the transaction this is.
    var mark: Int { events.count }

    /// What came behind `mark` was undone.
    func rollBack(to mark: Int) {
        guard events.count > mark else { return }
        events.removeSubrange(mark...)
    }

    /// A row is about to be changed in a way that SQLite does not tell of or count.
    func note(_ row: Int64, of table: String) {
        guard isOn else { return }
        append(row, table)
    }

    private func note(_ table: UnsafePointer<CChar>, _ row: Int64) {
        told += 1
        append(row, unsafe String(cString: table).asciiLowercased)
    }

    private func append(_ row: Int64, _ table: String) {
        guard events.count < Self.limit else {
            isOverfull = true
            return
        }
        events.append(Event(table: number(of: table), row: row))
    }

    private func number(of name: String) -> Int {
        if let last = events.last, tables[last.table] == name { return last.table }
        if let number = tables.firstIndex(of: name) { return number }
        tables.append(name)
        return tables.count - 1
    }

    // MARK: At its end

    /// What the transaction has changed; then it is forgotten.
    func take() -> DatabaseChanges {
        defer { clear() }
        let counted = unsafe sqlite3_total_changes64(database) - countedBefore
        let isComplete = counted == told && !mayReplace && !isOverfull
        var changes = DatabaseChanges()
        for event in events { changes.insert(event.row, of: tables[event.table]) }
        if isComplete {
            // Statements that found nothing to change are no changes.
            if written.contains("sqlite_master") { changes.schemaChanged = true }
        } else {
            for table in written.union(tables) { changes.insertAll(of: table) }
        }
        return changes
    }

    private func clear() {
        events.removeAll(keepingCapacity: true)
        tables.removeAll()
        written.removeAll()
        told = 0
        mayReplace = false
        isOverfull = false
        countedBefore = unsafe sqlite3_total_changes64(database)
    }
}
