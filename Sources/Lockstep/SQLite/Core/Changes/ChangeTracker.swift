internal import CSQLCipher

/// Collects the rows that the open transaction changes, while an observer needs them.
///
/// SQLite's update hook reports every changed row except rows that ON CONFLICT REPLACE removes, rows of tables
/// WITHOUT ROWID, and the rows of a DELETE without WHERE. The tables that a statement writes are known from its
/// preparation. If SQLite counted more changes than it reported, or if a statement can replace rows, the rows
/// of all written tables count as unknown.
@safe
final class ChangeTracker {
    /// Above this number of rows, the tracker stops listing them: each takes 16 bytes.
    private static let limit = 100_000

    private struct Event {
        let table: Int
        let row: Int64
    }

    private let database: OpaquePointer
    private let listens = Flag()
    private var events: [Event] = []
    private var tables: [SQLName] = []
    private var written: Set<SQLName> = []
    private var reported: Int64 = 0
    private var countedBefore: Int64 = 0
    private var mayReplace = false
    private var isOverfull = false

    init(_ database: OpaquePointer) { unsafe self.database = unsafe database }

    var isOn: Bool { listens.isSet }

    // MARK: While the transaction runs

    /// Starts or stops listening, before a transaction's first statement.
    func setOn(_ on: Bool) {
        if on && !isOn { start() } else if !on && isOn { stop() }
        if isOn { clear() }
    }

    private func start() {
        listens.isSet = true
        // The connection stops the tracker before it frees it.
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe _ = sqlite3_update_hook(
            database,
            { context, _, _, table, row in
                guard let context = unsafe context, let table = unsafe table else { return }
                unsafe Unmanaged<ChangeTracker>.fromOpaque(context).takeUnretainedValue()
                    .note(table, row)
            }, context)
    }

    /// Stops listening.
    func stop() {
        guard isOn else { return }
        listens.isSet = false
        unsafe _ = sqlite3_update_hook(database, nil, nil)
        clear()
    }

    /// Notes the tables that a statement is about to write.
    func note(written tables: Set<SQLName>, mayReplace: @autoclosure () -> Bool) {
        guard isOn, !tables.isEmpty else { return }
        written.formUnion(tables)
        if mayReplace() { self.mayReplace = true }
    }

    /// The current position in the transaction.
    var mark: Int { events.count }

    /// Forgets the events after `mark`, which were undone.
    func rollBack(to mark: Int) {
        guard events.count > mark else { return }
        events.removeSubrange(mark...)
    }

    /// Notes a row that is about to change in a way that SQLite neither reports nor counts.
    func note(_ row: Int64, of table: SQLName) {
        guard isOn else { return }
        append(row, table)
    }

    private func note(_ table: UnsafePointer<CChar>, _ row: Int64) {
        reported += 1
        append(row, unsafe SQLName(String(cString: table)))
    }

    private func append(_ row: Int64, _ table: SQLName) {
        guard events.count < Self.limit else {
            isOverfull = true
            return
        }
        events.append(Event(table: number(of: table), row: row))
    }

    private func number(of name: SQLName) -> Int {
        // exact: names of SQLite
        if let last = events.last, tables[last.table] == name { return last.table }
        if let number = tables.firstIndex(of: name) { return number }
        tables.append(name)
        return tables.count - 1
    }

    // MARK: When the transaction ends

    /// Returns what the transaction has changed, and forgets it.
    func take() -> DatabaseChanges {
        defer { clear() }
        let counted = unsafe sqlite3_total_changes64(database) - countedBefore
        let isComplete = counted == reported && !mayReplace && !isOverfull
        var changes = DatabaseChanges()
        let names = tables.map { ExactText($0.folded) }
        for event in events { changes.insert(event.row, of: names[event.table]) }
        if isComplete {
            // Statements that found nothing to change do not count as changes.
            if written.contains("sqlite_master") { changes.schemaChanged = true }
        } else {
            for table in written.union(tables) { changes.insertAll(of: ExactText(table.folded)) }
        }
        return changes
    }

    private func clear() {
        events.removeAll(keepingCapacity: true)
        tables.removeAll()
        written.removeAll()
        reported = 0
        mayReplace = false
        isOverfull = false
        countedBefore = unsafe sqlite3_total_changes64(database)
    }
}
