internal import CSQLCipher

/// The effect of a statement on tables, also temporary ones, and to the schema, including its triggers, views and
/// foreign key actions.
struct TableUse {
    var read: Set<SQLName> = []
    var written: Set<SQLName> = []
    /// The written tables that rows are inserted into. REPLACE also removes rows, which SQLite does not report.
    var inserted: Set<SQLName> = []
    /// The written tables that rows are deleted from.
    var deleted: Set<SQLName> = []
    /// The columns that the statement updates.
    var updated: [(table: SQLName, column: SQLName)] = []
    /// The triggers that write a table.
    var triggers: [SQLName: SQLName] = [:]
    /// The effect of the statement on the schema, if any.
    var schema: SchemaUse?
    private var lastRead: SQLName?

    /// Whether the statement changes nothing.
    var isIdle: Bool { written.isEmpty && schema == nil }

    /// Notes an action that SQLite asks permission for.
    /// - Parameter trigger: The trigger or view whose SQL it is.
    mutating func note(_ action: Int32, _ first: String?, _ second: String?, in trigger: String? = nil) {
        guard let first = first.map({ SQLName($0) }) else { return }
        let second = second.map { SQLName($0) }
        if let trigger, [SQLITE_UPDATE, SQLITE_INSERT, SQLITE_DELETE].contains(action) {
            triggers[first] = SQLName(trigger)
        }
        switch action {
        case SQLITE_READ:
            // SQLite asks for each column.
            guard first != lastRead else { return }
            lastRead = first
            read.insert(first)
        case SQLITE_UPDATE:
            written.insert(first)
            if let second { updated.append((first, second)) }
        case SQLITE_INSERT:
            written.insert(first)
            inserted.insert(first)
        case SQLITE_DELETE:
            written.insert(first)
            deleted.insert(first)
        default: noteSchema(action, first, second)
        }
    }

    private mutating func noteSchema(_ action: Int32, _ first: SQLName, _ second: SQLName?) {
        var use = schema ?? SchemaUse()
        switch action {
        case SQLITE_DROP_TABLE, SQLITE_DROP_VTABLE, SQLITE_DROP_VIEW, SQLITE_DROP_INDEX,
            SQLITE_DROP_TRIGGER, SQLITE_DROP_TEMP_TRIGGER:
            use.removesObjects = true
        case SQLITE_ALTER_TABLE: break
        default: use.addsObjects = true
        }
        switch action {
        case SQLITE_CREATE_TABLE, SQLITE_CREATE_VTABLE, SQLITE_CREATE_VIEW:
            use.created.insert(first)
        case SQLITE_DROP_TABLE, SQLITE_DROP_VTABLE, SQLITE_DROP_VIEW: use.dropped.insert(first)
        // The first argument is the database.
        case SQLITE_ALTER_TABLE where first == "temp": use.addsObjects = true
        case SQLITE_ALTER_TABLE: use.altered.insert(second ?? "")
        case SQLITE_CREATE_INDEX, SQLITE_DROP_INDEX, SQLITE_CREATE_TRIGGER, SQLITE_DROP_TRIGGER:
            break
        case SQLITE_CREATE_TEMP_TRIGGER, SQLITE_DROP_TEMP_TRIGGER: use.hasTemporaryTriggers = true
        default: return
        }
        schema = use
    }
}

/// The effect of a statement on the schema.
struct SchemaUse {
    /// Tables and views.
    var created: Set<SQLName> = []
    /// Tables and views.
    var dropped: Set<SQLName> = []
    /// Tables that ALTER TABLE changes.
    var altered: Set<SQLName> = []
    /// Whether it drops anything, including indexes and triggers.
    var removesObjects = false
    /// Whether it creates anything, including indexes and triggers.
    var addsObjects = false
    /// Whether it changes temporary triggers, which no schema lists.
    var hasTemporaryTriggers = false

    /// All tables and views that are created, dropped or altered.
    var names: Set<SQLName> { created.union(dropped).union(altered) }

    mutating func formUnion(_ other: SchemaUse) {
        created.formUnion(other.created)
        dropped.formUnion(other.dropped)
        altered.formUnion(other.altered)
        removesObjects = removesObjects || other.removesObjects
        addsObjects = addsObjects || other.addsObjects
        hasTemporaryTriggers = hasTemporaryTriggers || other.hasTemporaryTriggers
    }
}
