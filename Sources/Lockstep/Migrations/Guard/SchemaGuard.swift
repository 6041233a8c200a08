// The guard compares the database before a migration with the one after it.
//
//   Knowledge   what is true of the committed database. It grows as tables are touched, and the check at the end turns
//               it into the knowledge for the next version of the same run.
//   Progress    what the current migration has done so far, and how the tables that it can have changed look before.
//   willRun     comes before each statement, with the tables that SQLite's authorizer reported. A table with rows is
//               remembered before a statement can change it.
//   requireSound comes before the engine's COMMIT. It compares, and throws, or keeps the result as Knowledge.
//   blame       comes only after that has found something: the statements run again, with a comparison after each.
//
// A fact is stale: the catalogue when schema_version differs (ADD COLUMN alone extends it); orphans for a child or
// parent that was written, unless a child without orphans only lost rows or its parents gained some, and all of them
// after writes outside of the watch; unusable objects when the schema changes (foreign keys are compiled only while
// they are on: what was probed while they were off is in `halfProbed`); everything when another connection has
// committed between two versions (`GuardCache`).
//
// Every set is an overestimate. Too large a set costs time; one that is too small would let a loss through. Triggers
// that no schema shows (`isOpaque`) and virtual tables make every table count as touched.

/// The properties that a migration must preserve, watched during the run and checked before the commit.
///
/// SQLite silently accepts rows deleted by a cascade, values that a trigger changes, children without parents, a foreign
/// key whose parent is gone, and a table that no statement can use any more. Problems that existed before do not fail a
/// migration: it can be the one that repairs them. Only tables that statements can touch are compared.
final class SchemaGuard: StatementWatch {
    let core: ConnectionCore

    /// The known state of the database before the current migration.
    struct Knowledge {
        var catalogue: SchemaCatalogue
        var schemaVersion: Int64
        var keys = ForeignKeys()
        /// Titles of the objects that no statement can use; nil before the first probe.
        var unusable: Set<ExactText>?
        /// Rows without a parent, by child and parent.
        var orphans: [SQLName: [SQLName: Int]] = [:]
        /// Of each reference that the run has broken, how many rows had no parent before.
        var heldOrphans: [ForeignKeys.Reference: Int] = [:]
        /// Whether foreign keys were on during the probe; SQLite compiles them only then.
        var foreignKeysCount = true
        /// Names of the tables, views and triggers that were probed while foreign keys were off.
        var halfProbed: Set<SQLName> = []
        /// Whether triggers exist that no schema shows, so that names do not suffice to find affected objects.
        var isOpaque = false
    }
    var known: Knowledge?

    /// The effects of the current migration so far.
    struct Progress {
        var written: Set<SQLName> = []
        var losing: Set<SQLName> = []
        var children: Set<SQLName> = []
        var schema = SchemaUse()
        var changesSchema = false
        var isFirstChange = true
        /// The tables that only gained columns; nil once other objects can have changed as well.
        var extended: Set<SQLName>? = []
        var replaces = false
        var orphansBefore: [SQLName: [SQLName: Int]] = [:]
        var suspects = BlameTracker()
        /// The tables of before that had rows when a statement could first touch them, by their numbers.
        var touched: [Int: TouchedTable] = [:]
        /// Those that have been looked at and had no rows.
        var empty: Set<Int> = []
        /// Whether what earlier runs have filled has been added to the names.
        var hasRecalled = false
        /// Columns that the engine itself has copied with all rows, by the numbers of the replaced tables, and the
        /// numbers of their successors, which nothing has changed since.
        var copied: [Int: (columns: Set<SQLName>, successor: Int)] = [:]
        /// The table that is being replaced, if nothing has changed it before.
        var rebuilding: Int?
        /// What the statements say, by the numbers of tables.
        var said: [Int: SaidChanges] = [:]
        /// The table whose rows the running statement deletes.
        var deleting: Int?
        /// What they have said of tables that are gone since, by their names.
        var saidBefore: [SQLName: SaidChanges] = [:]
        /// Indexes and triggers that a statement drops by name.
        var droppedByName: Set<SQLName> = []
        /// The last trigger that can have written a table.
        var triggers: [SQLName: SQLName] = [:]
        var sealedWrites = SealedWrites()
    }
    var progress = Progress()

    /// A table as it was before the migration.
    struct TouchedTable {
        let image: TableImage
        let formerName: SQLName
        /// The highest id that AUTOINCREMENT has given; nil without it.
        let sequence: Int64?
        /// Whether its rows can have changed.
        var isChanging: Bool
    }

    /// Which table has which name, and which the run has filled, across its versions.
    var names = TableNames()
    /// The rows of before, across the versions of a run.
    lazy var beforeRows = BeforeRows(core)
    /// What the current migration is declared to be allowed to do.
    private(set) var allowances = Allowances()

    /// One of many batches whose statement is the same: the first one gets all checks, and after the others the rows of
    /// the batch are compared.
    struct Part {
        let table: SQLName
        /// The rows of the batch.
        let condition: String

        /// Which rows of a table are compared; nil for all. A trigger can write other rows of the same table.
        func condition(of table: SQLName, _ progress: Progress) -> String? {
            // exact: names of SQLite
            table == self.table && progress.triggers[table] == nil ? condition : nil
        }
    }
    /// Nil for a whole migration.
    private(set) var part: Part?

    /// Something that a migration needs and does not declare.
    struct Missing {
        let directive: Directive
        let error: LockstepError
        var suspect: BlameTracker.Statement?
        /// The table, by its number, and what has happened to it; nil for what is no effect on rows.
        var effect: BlamedEffect?
    }
    /// What a preview notes in place of an error.
    var missing: [Missing] = []
    /// What the migration has done to each table, if that is to be shown.
    var shown: [TableEffects] = []
    /// Receives the effects after each statement while the statements run again.
    var blame: EffectBlame?
    /// What was known, and how tables were called, when the migration began.
    var knownBefore: Knowledge?
    var namesBefore = TableNames()

    /// Whether the connection can have temporary tables.
    var hasTemporaryTables = false
    /// The line of the running statement in its file; 0 for code.
    private(set) var line = 0
    /// The statement that can be the reason for a failed check.
    var suspect: BlameTracker.Statement?

    init(_ connection: borrowing Connection) { core = connection.core }

    // MARK: Watching

    /// Starts to watch a migration.
    func begin(_ allowances: Allowances = .init(), _ part: Part? = nil) {
        progress = Progress()
        self.part = part
        self.allowances = allowances
        missing = []
        shown = []
        knownBefore = nil
        namesBefore = names
        line = 0
        suspect = nil
        core.schemaChanges += 1
        core.watch = self
    }

    /// Stops watching, whatever the outcome of the migration.
    func stop() {
        core.watch = nil
        beforeRows.end()
    }

    /// Discards the counts that other writes can have changed.
    func forgetRows() { known?.orphans = [:] }

    func begins(line: Int) { self.line = line }

    func willRun(_ sql: String, _ use: TableUse) throws(LockstepError) {
        do {
            noteDeleted()
            if blame != nil {
                try judgeLast()
                blame?.last = BlameTracker.Statement(line: line, sql: sql)
            }
            var known = try known ?? look()
            try prepare(sql, use, &known)
            self.known = known
        } catch let error as LockstepError {
            throw error
        } catch {
            throw LockstepError(.sqlFailed, "the checks of a migration failed: \(error)")
        }
    }

    /// Takes over how many rows the last statement has deleted, if it is a DELETE.
    func noteDeleted() {
        guard let number = progress.deleting else { return }
        progress.deleting = nil
        progress.said[number, default: .init()].deleted += Int(clamping: core.changes)
    }

    /// Reads the schema before the first write of a migration.
    private func look() throws -> Knowledge {
        var known = Knowledge(catalogue: try SchemaCatalogue(core), schemaVersion: try core.schemaVersion())
        let all = SchemaCatalogue.Difference(added: known.catalogue.objects)
        _ = try known.keys.update(all, core)
        // Earlier statements of this connection can have created temporary triggers.
        let left = SQL("SELECT EXISTS (SELECT 1 FROM temp.sqlite_schema WHERE type = 'trigger')")
        known.isOpaque = try core.ask(left) { row in try row[0] as Bool }.first ?? false
        let tables = SQL("SELECT EXISTS (SELECT 1 FROM temp.sqlite_schema WHERE type = 'table')")
        hasTemporaryTables = try core.ask(tables) { row in try row[0] as Bool }.first ?? false
        return known
    }

    private func prepare(_ sql: String, _ use: TableUse, _ known: inout Knowledge) throws {
        progress.replaces =
            progress.replaces || known.catalogue.mayReplace
            || SQLTokens.mayReplace(sql)
        if let schema = use.schema {
            progress.changesSchema = true
            progress.schema.formUnion(schema)
            noteExtent(of: schema, sql)
            if schema.hasTemporaryTriggers { known.isOpaque = true }
        }
        if use.schema == nil, use.written.contains("sqlite_master") {
            // An edit of the definitions can change all of them.
            core.schemaChanges += 1
            progress.changesSchema = true
            progress.extended = nil
        }
        if progress.changesSchema, progress.isFirstChange {
            progress.isFirstChange = false
            lookForUnusable(&known)
        }
        let effect = StatementEffect(sql, use, known.keys, replaces: progress.replaces)
        progress.written.formUnion(use.written)
        progress.sealedWrites.note(sql, use)
        let virtual = known.catalogue.virtualTables(touchedBy: use.written)
        var changing = effect.changing.union(virtual)
        var losing = effect.losing.union(virtual)
        var children = effect.children
        if known.isOpaque {
            let all = known.catalogue.objects.filter(\.hasRows).map(\.name)
            losing.formUnion(all)
            changing.formUnion(all)
            children.formUnion(known.keys.keys.keys)
        }
        let statement = BlameTracker.Statement(line: line, sql: sql)
        progress.suspects.note(
            statement, changes: changing, orphans: children, changesSchema: use.schema != nil)
        progress.losing.formUnion(losing)
        progress.children.formUnion(children)
        for child in children where part == nil && progress.orphansBefore[child] == nil {
            guard known.keys.keys[child] != nil else { continue }
            progress.orphansBefore[child] = try known.orphans[child] ?? ForeignKeys.orphans(child, core)
        }
        for table in changing {
            try touch(table, changes: true, known)
            if !progress.copied.isEmpty {
                let number = names.number(table)
                progress.copied = progress.copied.filter { $0.value.successor != number }
            }
        }
        // A copy must be made before rows are added, too.
        let needsInserted = beforeRows.isCopy || allowances.shows
        let others = (use.schema?.altered ?? []).union(needsInserted ? use.inserted : [])
        for table in others { try touch(table, changes: false, known) }
        try follow(sql, use, known)
        if let wanted = blame?.wanted { blame?.matters = matters(use, changing, Set(wanted.map(\.number))) }
    }

    /// Whether a statement can change the effects on these tables.
    private func matters(_ use: TableUse, _ changing: Set<SQLName>, _ wanted: Set<Int>) -> Bool {
        if use.schema != nil { return true }
        if changing.contains(where: { names.known($0).map(wanted.contains) ?? true }) { return true }
        // Rows that are put elsewhere are not gone.
        return wanted.contains { number in
            let filled = names.filled(from: number)
            return use.inserted.contains { filled[$0] != nil }
        }
    }

    /// Determines which objects are unusable before the first change of the schema, with foreign keys as they are.
    private func lookForUnusable(_ known: inout Knowledge) {
        let isOn = core.enforcesForeignKeys
        defer { known.foreignKeysCount = isOn }
        guard let before = known.unusable else {
            let objects = known.catalogue.objects
            known.unusable = Set(SchemaUsability.failures(of: objects, core).map(\.object))
            if !isOn { known.halfProbed = Set(objects.map(\.name)) }
            return
        }
        guard isOn != known.foreignKeysCount else { return }
        let doubtful = known.catalogue.objects.filter {
            isOn ? known.halfProbed.contains($0.name) : before.contains(ExactText($0.title))
        }
        let failing = Set(SchemaUsability.failures(of: doubtful, core).map(\.object))
        known.unusable = before.subtracting(doubtful.map { ExactText($0.title) }).union(failing)
        known.halfProbed = isOn ? [] : Set(doubtful.map(\.name))
    }

    /// New objects are added after all others, and adding a column changes no other definition.
    private func noteExtent(of schema: SchemaUse, _ sql: String) {
        guard !schema.removesObjects else { return progress.extended = nil }
        guard !schema.altered.isEmpty else { return }
        if case .addColumn = AlterStatement(sql) {
            progress.extended?.formUnion(schema.altered)
        } else {
            progress.extended = nil
        }
    }
}
