internal import CSQLCipher

/// Created and dropped tables.
struct TableChanges {
    var created: Set<SQLName> = []
    var dropped: Set<SQLName> = []
}

/// Decides what SQL can do on a connection; SQLite asks it for each statement that it prepares.
///
/// After first use, several of the cipher's pragmas destroy a file silently: the insert succeeds, but the file
/// no longer opens. Others write plaintext next to the file. SQL can reach none of them.
package final class Authorizer {
    /// Whose SQL it is.
    package enum Mode {
        /// SQL from the program or its user.
        case program
        /// SQL from a migration file: transactions belong to the runner.
        case migration
        /// The engine's own statements.
        case engine
    }

    var mode = Mode.engine
    /// Why the last statement was refused; SQLite itself reports only "not authorized".
    var lastDenial: LockstepError?

    /// The tables that migrations have created and dropped since the last reset.
    var tableChanges = TableChanges()
    /// Whether the statement being prepared defines names that SQLite does not ask about: in the body of a
    /// trigger, the parent of a foreign key, the new name of a table.
    private(set) var sawDefinition = false
    /// Whether the statement being prepared begins or ends a transaction.
    private(set) var sawTransactionControl = false
    /// What happens if the statement being prepared changes the state of the connection: see ``LastingSettings``.
    enum StateRule {
        /// Nothing: the state belongs to the holder of the connection.
        case none
        /// The preparation stops, so that the state can be read first, and begins again.
        case keepFirst
        /// Nothing more: the state has been read.
        case kept
    }

    var stateRule = StateRule.none
    /// Whether the preparation has stopped for that.
    private(set) var stopsForState = false
    /// Whether the statement being prepared changes the state of the connection.
    private(set) var sawState = false
    /// How many statements that create objects in the temporary schema have been prepared.
    private(set) var temporaryObjects = 0
    /// The tables that the statement being prepared reads and writes.
    private(set) var tableUse = TableUse()
    /// Whether to skip recording the tables of the engine's statements that are prepared now.
    var ignoresUse = false
    /// Whether a store runs the checkpoints, and so must see each commit.
    var isLogWatched = false
    /// Whether the migration that runs is declared to edit the text of definitions.
    var allowsSchemaEdits = false
    /// Whether migrations that were applied earlier run again, on a database that will be deleted: a statement
    /// that was allowed then does not fail now, but has no effect.
    var isReplay = false
    /// The reserved names that the SQL can use all the same: those of a table that the engine rebuilds with it.
    var lentNames: Set<SQLName> = []
    /// The engine's views in the temporary schema, which no migration drops.
    var viewNames: Set<SQLName> = []
    /// The table that the statement being prepared drops, together with its triggers.
    private var droppedTable: SQLName?
    /// How many of the engine's transactions are open on the connection: SQL cannot end them.
    var openTransactions = 0
    /// In milliseconds, as the engine or SQL last set it.
    var busyTimeout: Int32 = 0

    /// These pragmas destroy the file, change its key or write plaintext, whatever their argument.
    private static let deniedPragmas: Set<SQLName> = [
        "key", "rekey", "hexkey", "hexrekey", "textkey", "textrekey", "kdf_iter", "fast_kdf_iter",
        "temp_store_directory", "writable_schema",
    ]
    /// The declaration of a migration that edits definitions.
    static let editsDirective = "allow edits of schema"

    /// These pragmas can be read but not set: the engine sets them when it opens a connection.
    private static let readOnlyPragmas: Set<SQLName> = [
        "page_size", "temp_store", "query_only", "journal_mode", "trusted_schema",
        "cell_size_check", "mmap_size", "application_id", "user_version",
        "locking_mode",
        // These belong to the process: setting them would starve its other connections.
        "soft_heap_limit", "hard_heap_limit",
    ]
    /// These pragmas stay in force on the connection after a migration, where they harm its data or its
    /// program.
    private static let lastingPragmas: [SQLName: String] = [
        "ignore_check_constraints": "rows that break CHECK constraints would be accepted",
        "max_page_count": "later writes would fail as if the disk were full",
        "secure_delete": "later deletes would leave data in the file, or cost more",
        "reverse_unordered_selects": "later queries would return their rows in another order",
        "case_sensitive_like":
            "indexes and constraints that use LIKE would no longer match their rows",
        "full_column_names": "later queries would name their columns differently",
        "short_column_names": "later queries would name their columns differently",
        "count_changes": "later statements would return an unexpected row",
    ]
    /// These pragmas silently do nothing inside a transaction, and a migration always runs in one.
    private static let futilePragmas: Set<SQLName> = ["foreign_keys", "synchronous"]

    /// How many columns and functions the statement being prepared has named.
    private var terms = 0
    /// SQLite counts them in 16 bits (``LibraryDefect/aggregates``); nil if the library counts correctly.
    private static let maximumTerms: Int? = {
        guard let library = try? LinkGuard.library(), library.defects.contains(.aggregates) else {
            return nil
        }
        return 32_767
    }()

    /// Installs the authorizer. The connection keeps this object alive for as long as the handle.
    func install(on database: OpaquePointer) {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe sqlite3_set_authorizer(
            database,
            { context, action, first, second, _, trigger in
                guard let context = unsafe context else { return SQLITE_DENY }
                let authorizer = unsafe Unmanaged<Authorizer>.fromOpaque(context).takeUnretainedValue()
                if action == SQLITE_READ || action == SQLITE_FUNCTION, !authorizer.countTerm() {
                    return SQLITE_DENY
                }
                if authorizer.mode == .engine, authorizer.ignoresUse { return SQLITE_OK }
                // Most questions are about columns that are read, and no caller uses their names.
                if action == SQLITE_READ, let first = unsafe first {
                    return authorizer.decide(action, unsafe String(cString: first), nil)
                }
                return authorizer.decide(
                    action, unsafe first.map { unsafe String(cString: $0) },
                    unsafe second.map { unsafe String(cString: $0) },
                    in: unsafe trigger.map { unsafe String(cString: $0) })
            }, context)
    }

    /// Forgets what the last statement showed.
    func beginPreparing() {
        lastDenial = nil
        terms = 0
        droppedTable = nil
        sawTransactionControl = false
        sawDefinition = false
        sawState = false
        stopsForState = false
        tableUse = TableUse()
    }

    /// Restarts the count.
    func forgetTerms() { terms = 0 }

    /// False if the statement has more terms than the library can count.
    private func countTerm() -> Bool {
        terms += 1
        guard let maximum = Self.maximumTerms, terms > maximum else { return true }
        lastDenial = LockstepError(
            .limitExceeded, "the statement names more than \(maximum) columns and functions",
            advice: "split it; the loaded SQLite cannot count more of them (\(.showLibrary))")
        return false
    }

    private func decide(_ action: Int32, _ first: String?, _ second: String?, in trigger: String? = nil) -> Int32 {
        tableUse.note(action, first, second, in: trigger)
        guard mode != .engine else { return SQLITE_OK }
        switch action {
        case SQLITE_CREATE_TRIGGER, SQLITE_CREATE_TEMP_TRIGGER, SQLITE_CREATE_TABLE,
            SQLITE_CREATE_TEMP_TABLE, SQLITE_ALTER_TABLE:
            sawDefinition = true
        default: break
        }
        switch action {
        case SQLITE_TRANSACTION, SQLITE_SAVEPOINT: sawTransactionControl = true
        case SQLITE_CREATE_TABLE where mode == .migration, SQLITE_CREATE_VTABLE where mode == .migration:
            tableChanges.created.insert(SQLName(first ?? ""))
        case SQLITE_DROP_TABLE where mode == .migration, SQLITE_DROP_VTABLE where mode == .migration:
            tableChanges.dropped.insert(SQLName(first ?? ""))
        default: break
        }
        if isReplay, action == SQLITE_PRAGMA, mode == .migration, second != nil,
            Self.lastingPragmas[SQLName(first ?? "")] != nil
        {
            return SQLITE_IGNORE
        }
        if action == SQLITE_DROP_TABLE { droppedTable = SQLName(first ?? "") }
        // First, since a denial can note the new value of a setting.
        guard let denial = stateStop(action, first, second) ?? denial(action, first, second) else {
            return SQLITE_OK
        }
        lastDenial = denial
        return SQLITE_DENY
    }

    /// Stops the preparation of a statement that changes what closures find. A statement that was prepared in another
    /// call is stopped when it runs, because SQLite prepares these again.
    private func stateStop(
        _ action: Int32, _ first: String?, _ second: String?
    ) -> LockstepError? {
        switch action {
        case SQLITE_PRAGMA
        where second != nil && LastingSettings.all.contains(SQLName(first ?? "")):
            sawState = true
        // SQLite asks this for each object that is created in the temporary schema.
        case SQLITE_INSERT where SQLName(first ?? "") == "sqlite_temp_master":
            sawState = true
            temporaryObjects += 1
        default: return nil
        }
        guard stateRule == .keepFirst else { return nil }
        stopsForState = true
        return LockstepError(
            .misuse, "a statement that changes the connection's settings was prepared in another call",
            hint: "prepare it in the call that runs it")
    }

    private func denial(_ action: Int32, _ first: String?, _ second: String?) -> LockstepError? {
        switch action {
        case SQLITE_PRAGMA: pragmaDenial(SQLName(first ?? ""), second)
        case SQLITE_ATTACH:
            LockstepError(
                .denied, "ATTACH is refused here: the attached file could be plaintext",
                hint: "open the other file as a separate store; to compact a file, use " + "Connection.vacuum()")
        case SQLITE_TRANSACTION: transactionDenial(first ?? "the statement")
        // Releasing a savepoint from before the transaction's closure would end the transaction early.
        case SQLITE_SAVEPOINT:
            ownNameDenial(second.map { SQLName($0) }) ?? transactionDenial("SAVEPOINT")
        case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE, SQLITE_DROP_TABLE, SQLITE_CREATE_TABLE,
            SQLITE_CREATE_TEMP_TABLE, SQLITE_CREATE_VIEW, SQLITE_CREATE_TEMP_VIEW,
            SQLITE_CREATE_VTABLE, SQLITE_DROP_VTABLE, SQLITE_DROP_VIEW, SQLITE_DROP_TEMP_TABLE:
            ownNameDenial(first.map { SQLName($0) })
        case SQLITE_DROP_TEMP_VIEW: viewDenial(SQLName(first ?? ""))
        case SQLITE_ALTER_TABLE: ownNameDenial(second.map { SQLName($0) })
        case SQLITE_CREATE_INDEX, SQLITE_DROP_INDEX, SQLITE_CREATE_TEMP_INDEX, SQLITE_DROP_TEMP_INDEX,
            SQLITE_CREATE_TRIGGER, SQLITE_CREATE_TEMP_TRIGGER, SQLITE_DROP_TRIGGER, SQLITE_DROP_TEMP_TRIGGER:
            attachedDenial(first.map { SQLName($0) }, to: second.map { SQLName($0) })
        default: nil
        }
    }

    func transactionDenial(_ statement: String) -> LockstepError? {
        if mode == .migration {
            return LockstepError(
                .denied, "\(statement) is refused inside a migration",
                hint: "remove it: the runner puts each version into a transaction of its own")
        }
        guard openTransactions > 0 else { return nil }
        return LockstepError(
            .denied, "\(statement) is refused inside the closure of a transaction",
            hint: "return from the closure to commit, throw from it to roll back; " + "Connection.savepoint(_:) nests")
    }

    private func viewDenial(_ name: SQLName) -> LockstepError? {
        if let denial = ownNameDenial(name) { return denial }
        guard mode == .migration, viewNames.contains(name) else { return nil }
        return LockstepError(
            .denied, "\(name.folded) is refused: it is the readable view of a table with sealed columns",
            hint: "drop another view; the engine makes this one for each connection")
    }

    /// For an index or trigger: neither it nor its table can have a reserved name.
    ///
    /// The guards of sealed columns go with their table. A program can drop one to repair what it guards; a migration
    /// cannot, because it runs wherever its set is installed.
    private func attachedDenial(_ name: SQLName?, to table: SQLName?) -> LockstepError? {
        if let denial = ownNameDenial(table) { return denial }
        guard mode == .migration, table != droppedTable else { return nil }
        return ownNameDenial(name)
    }

    /// The migrator writes the ledger in step with the schema, and the other tables also belong to the engine;
    /// no other object can take their names.
    private func ownNameDenial(_ name: SQLName?) -> LockstepError? {
        guard let name, EngineTables.isReserved(name), !lentNames.contains(name) else { return nil }
        return LockstepError(
            .denied, "\(name.folded) is refused: names that begin with lockstep_ are reserved for the engine",
            hint: "choose another name")
    }

    /// Why a definition is refused for names that SQLite does not ask about; nil if it is allowed.
    func definitionDenial(_ sql: Span<UInt8>) -> LockstepError? {
        guard sawDefinition, mode != .engine, !isReplay else { return nil }
        return ownNameDenial(DefinedNames.reserved(in: sql))
    }

    private func pragmaDenial(_ name: SQLName, _ argument: String?) -> LockstepError? {
        if name == "writable_schema", allowsSchemaEdits, mode == .migration { return nil }
        let refused =
            Self.deniedPragmas.contains(name) || name.hasPrefix("cipher_")
            || (argument != nil && Self.readOnlyPragmas.contains(name))
            || (argument != nil && isLogWatched && name == "wal_autocheckpoint")
        if refused {
            return LockstepError(
                .denied, "PRAGMA \(name.folded) is refused: the engine manages it to keep the file safe",
                hint: name == "writable_schema" && mode == .migration
                    ? "if the migration edits definitions, declare `-- lockstep: \(Self.editsDirective)`"
                    : "the engine manages keys, cipher settings and a connection's safety settings")
        }
        if mode == .migration, argument != nil, let harm = Self.lastingPragmas[name] {
            return LockstepError(
                .denied,
                "PRAGMA \(name.folded) is refused inside a migration: it would stay in force on the "
                    + "connection, and \(harm)",
                hint:
                    "remove it from the file; if the program needs it, set it there after opening"
            )
        }
        if name == "busy_timeout", let argument { busyTimeout = Int32(argument) ?? 0 }
        if mode == .migration, argument != nil, Self.futilePragmas.contains(name) {
            return LockstepError(
                .denied, "PRAGMA \(name.folded) does nothing inside a transaction",
                hint: name == "foreign_keys"
                    ? "declare `-- lockstep: foreign keys off` in the migration file"
                    : "set it where the program opens the database")
        }
        return nil
    }
}
