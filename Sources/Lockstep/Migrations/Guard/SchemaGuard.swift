// What the guard knows, and when its knowledge is stale
// =====================================================
//
// The guard compares the database before a migration with the database after it. It keeps two things apart:
//
//   Knowledge   what is true of the committed database: the catalogue of tables, views and triggers, foreign keys, row
//               counts, orphans, and which objects no statement can use. It grows as tables are touched, and the check
//               at the end turns it into the knowledge for the next version of the same run. Progress    what the
//               current migration has done so far: which tables it wrote, which can have lost rows, which children can
//               have lost parents, how it changed the schema, and the counts from before its first statement that could
//               change them.
//
// Order of events
//
//   begin            Progress is empty. The guard becomes the connection's StatementWatch. willRun          comes
//   before each statement, with the tables that SQLite's authorizer reported. The first one reads the catalogue. A
//   count or a list of orphans is taken here, before the statement can change it, and once a migration for each table.
//   requireSound     comes before the engine's COMMIT. It refreshes what the migration changed, measures the touched
//   tables again, and throws, or keeps the result as Knowledge.
//
// When a fact is stale
//
//   catalogue        when schema_version differs. ADD COLUMN alone extends it; any other statement of the schema
//   rereads it. rows             for every table in `written`, `losing` or a changed schema; for all tables after
//   writes that the guard did not watch (`forgetRows`, which `GuardCache` decides by SQLite's count of changes).
//   orphans          for a child or parent that was written, except that a child without orphans stays without them
//   when only its rows were deleted or its parents gained rows. unusable         when the schema changes. Foreign keys
//   are compiled only while they are on: what was probed while they were off is in `halfProbed` and is probed again
//   when they are on. everything       when data_version or schema_version shows a commit of another connection between
//   two versions (`GuardCache`); then a new guard starts with nothing.
//
// Every set is an overestimate. Too large a set costs time; one that is too small would let a loss through. Triggers
// that no schema shows (`isOpaque`) and virtual tables make every table count as touched. `GuardPropertyTests` runs
// random scripts and compares the guard with a measurement of the whole database.

/// The properties that a migration must preserve, watched during the run and checked before the commit.
///
/// SQLite silently accepts rows deleted by a cascade, children without parents, a foreign key whose parent is
/// gone, and a table that no statement can use any more. Problems that existed before do not fail a migration: it
/// can be the one that repairs them.
///
/// Measuring the whole database before and after each migration would take time proportional to its size.
/// Instead, each statement reports before it runs which tables it can touch; only those are measured, at that
/// point and again at the end. The knowledge at the end serves the next migration. The set of touched tables is
/// an overestimate: SQLite's authorizer reports triggers, views and the actions of foreign keys, and tables that
/// refer to a touched table count as touched. The tests compare this with measuring everything.
final class SchemaGuard: StatementWatch {
    let core: ConnectionCore

    /// The known state of the database before the current migration.
    struct Knowledge {
        var catalogue: SchemaCatalogue
        var schemaVersion: Int64
        var keys = ForeignKeys()
        /// Titles of the objects that no statement can use; nil before the first probe.
        var unusable: Set<ExactText>?
        /// Row counts by table; nil where counting is not possible.
        var rows: [SQLName: Int64?] = [:]
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
        var rowsBefore: [SQLName: Int64?] = [:]
        var orphansBefore: [SQLName: [SQLName: Int]] = [:]
        /// Row counts that are known to be current.
        var rowsNow: [SQLName: Int64] = [:]
        var suspects = BlameTracker()
        /// What ``moves`` calls the tables in `rowsBefore`.
        var numbers: [SQLName: Int] = [:]
        /// Those whose rows have been looked for where earlier versions have put them.
        var recalled: Set<Int> = []
        /// Those that were dropped.
        var dropped: Set<Int> = []
        /// The keys of the rows before a statement could delete some, by the table's name before the migration.
        var keysBefore: [SQLName: KeySnapshot] = [:]
        /// The largest rowids before the first insert; nil for a table without rowids.
        var lastRowIDs: [SQLName: Int64?] = [:]
        var columnLosses: [ColumnLoss] = []
        var sealedWrites = SealedWrites()
    }
    var progress = Progress()

    /// Which tables the run has filled from which, across its versions.
    var moves = RowMoves()
    /// What the current migration is declared to be allowed to do.
    private(set) var allowances = Allowances()
    var announced: Announced?

    /// Something that a migration needs and does not declare.
    struct Missing {
        let directive: Directive
        let error: LockstepError
        let suspect: BlameTracker.Statement?
    }
    /// What a preview notes in place of an error.
    var missing: [Missing] = []

    /// The line of the running statement in its file; 0 for code.
    private(set) var line = 0
    /// The statement that can be the reason for a failed check.
    var suspect: BlameTracker.Statement?

    init(_ connection: borrowing Connection) { core = connection.core }

    // MARK: Watching

    /// Starts to watch a migration.
    func begin(_ allowances: Allowances = .init()) {
        progress = Progress()
        self.allowances = allowances
        announced = nil
        missing = []
        line = 0
        suspect = nil
        core.schemaChanges += 1
        core.watch = self
    }

    /// Stops watching, whatever the outcome of the migration.
    func stop() { core.watch = nil }

    /// Discards the counts that other writes can have changed.
    func forgetRows() {
        known?.rows = [:]
        known?.orphans = [:]
    }

    func begins(line: Int) { self.line = line }

    func willRun(_ sql: String, _ use: TableUse) throws(LockstepError) {
        do {
            var known = try known ?? look()
            try prepare(sql, use, &known)
            self.known = known
        } catch let error as LockstepError {
            throw error
        } catch {
            throw LockstepError(.sqlFailed, "the checks of a migration failed: \(error)")
        }
    }

    /// Reads the schema before the first write of a migration.
    private func look() throws -> Knowledge {
        var known = Knowledge(catalogue: try SchemaCatalogue(core), schemaVersion: try core.schemaVersion())
        let all = SchemaCatalogue.Difference(added: known.catalogue.objects)
        _ = try known.keys.update(all, core)
        // Earlier statements of this connection can have created temporary triggers.
        let left = SQL("SELECT EXISTS (SELECT 1 FROM temp.sqlite_schema WHERE type = 'trigger')")
        known.isOpaque = try core.ask(left) { row in try row[0] as Bool }.first ?? false
        return known
    }

    private func prepare(_ sql: String, _ use: TableUse, _ known: inout Knowledge) throws {
        try settle()
        progress.replaces =
            progress.replaces || known.catalogue.mayReplace
            || SQLTokens.hasWord("replace", in: sql)
        if let schema = use.schema {
            progress.changesSchema = true
            progress.schema.formUnion(schema)
            noteExtent(of: schema, sql)
            if schema.hasTemporaryTriggers { known.isOpaque = true }
            if progress.isFirstChange {
                progress.isFirstChange = false
                lookForUnusable(&known)
            }
        }
        if use.schema == nil, use.written.contains("sqlite_master") {
            // An edit of the definitions can change all of them.
            core.schemaChanges += 1
            progress.changesSchema = true
            progress.extended = nil
            if progress.isFirstChange {
                progress.isFirstChange = false
                lookForUnusable(&known)
            }
        }
        let effect = StatementEffect(sql, use, known.keys, replaces: progress.replaces)
        progress.written.formUnion(use.written)
        progress.sealedWrites.note(sql, use)
        for table in use.written.union(effect.losing) { progress.rowsNow[table] = nil }
        var losing = effect.losing.union(known.catalogue.virtualTables(touchedBy: use.written))
        var children = effect.children
        if known.isOpaque {
            losing.formUnion(known.catalogue.objects.filter(\.hasRows).map(\.name))
            children.formUnion(known.keys.keys.keys)
        }
        let statement = BlameTracker.Statement(line: line, sql: sql)
        progress.suspects.note(
            statement, takes: losing, surely: use.deleted, orphans: children, changesSchema: use.schema != nil)
        progress.losing.formUnion(losing)
        progress.children.formUnion(children)
        // A migration can delete rows that it inserted itself.
        for table in losing.union(use.inserted) where progress.rowsBefore[table] == nil {
            guard let object = known.catalogue.countedTable(table) else { continue }
            let count = try known.rows[table] ?? RowCounts.rows(object.name, core)
            progress.rowsBefore.updateValue(count, forKey: table)
            progress.numbers[table] = moves.number(table)
        }
        for child in children where progress.orphansBefore[child] == nil {
            guard known.keys.keys[child] != nil else { continue }
            progress.orphansBefore[child] = try known.orphans[child] ?? RowCounts.orphans(child, core)
        }
        try noteValues(statement, use, known)
    }

    /// Determines which objects are unusable before the first change of the schema, if that is not known. The
    /// result depends on whether foreign keys are on.
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

    /// Records the current row count of a table, supplied by a caller that had to count the rows anyway.
    func note(_ count: Int64, rowsOf table: SQLName) {
        if known?.catalogue.countedTable(table) != nil, progress.rowsBefore[table] == nil,
            !progress.written.contains(table), !progress.schema.names.contains(table)
        {
            progress.rowsBefore.updateValue(count, forKey: table)
            progress.numbers[table] = moves.number(table)
        }
        progress.rowsNow[table] = count
    }
}
