internal import CSQLCipher

/// What a statement does to tables and to the schema, including its triggers, views and foreign key actions;
/// names in lower case, including those of temporary tables.
struct TableUse {
    var read: Set<String> = []
    var written: Set<String> = []
    /// The written tables that rows are inserted into. REPLACE also removes rows, which SQLite does not report.
    var inserted: Set<String> = []
    /// The written tables that rows are deleted from.
    var deleted: Set<String> = []
    /// The columns that the statement updates.
    var updated: [(table: String, column: String)] = []
    /// What the statement does to the schema, if anything.
    var schema: SchemaUse?
    private var lastRead = ""

    /// Whether the statement changes nothing.
    var isIdle: Bool { written.isEmpty && schema == nil }

    /// Notes an action that SQLite asks permission for.
    mutating func note(_ action: Int32, _ first: String?, _ second: String?) {
        guard let first else { return }
        switch action {
        case SQLITE_READ:
            // SQLite asks for each column.
            guard first != lastRead else { return }
            lastRead = first
            read.insert(first.asciiLowercased)
        case SQLITE_UPDATE:
            written.insert(first.asciiLowercased)
            if let second { updated.append((first, second)) }
        case SQLITE_INSERT:
            written.insert(first.asciiLowercased)
            inserted.insert(first.asciiLowercased)
        case SQLITE_DELETE:
            written.insert(first.asciiLowercased)
            deleted.insert(first.asciiLowercased)
        default: noteSchema(action, first.asciiLowercased, second?.asciiLowercased)
        }
    }

    private mutating func noteSchema(_ action: Int32, _ first: String, _ second: String?) {
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
        case SQLITE_ALTER_TABLE: use.altered.insert(second ?? "")
        case SQLITE_CREATE_INDEX, SQLITE_DROP_INDEX, SQLITE_CREATE_TRIGGER, SQLITE_DROP_TRIGGER:
            break
        case SQLITE_CREATE_TEMP_TRIGGER, SQLITE_DROP_TEMP_TRIGGER: use.hasTemporaryTriggers = true
        default: return
        }
        schema = use
    }
}

/// What a statement does to the schema; names in lower case.
struct SchemaUse {
    /// Tables and views.
    var created: Set<String> = []
    /// Tables and views.
    var dropped: Set<String> = []
    /// Tables that ALTER TABLE changes.
    var altered: Set<String> = []
    /// Whether it drops anything, including indexes and triggers.
    var removesObjects = false
    /// Whether it creates anything, including indexes and triggers.
    var addsObjects = false
    /// Whether it changes temporary triggers, which no schema lists.
    var hasTemporaryTriggers = false

    /// All tables and views that are created, dropped or altered.
    var names: Set<String> { created.union(dropped).union(altered) }

    mutating func formUnion(_ other: SchemaUse) {
        created.formUnion(other.created)
        dropped.formUnion(other.dropped)
        altered.formUnion(other.altered)
        removesObjects = removesObjects || other.removesObjects
        addsObjects = addsObjects || other.addsObjects
        hasTemporaryTriggers = hasTemporaryTriggers || other.hasTemporaryTriggers
    }
}
