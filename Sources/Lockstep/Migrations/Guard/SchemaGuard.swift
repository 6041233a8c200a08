/// What a migration must not break, watched while it runs and checked before it commits.
///
/// SQLite accepts each of these silently: rows deleted by a cascade, children without parents, a foreign
/// key whose parent is gone, a table that no statement can use any more. What was so before does not
/// stand in a migration's way: it may be what mends it.
///
/// Measuring the whole database before and after each migration would take as long as the database is large.
/// So each statement says before it runs what it is about to touch; only that is measured, right then, and
/// again at the end. What is known at the end serves the next migration. What a statement touches is judged
/// generously: SQLite's authorizer tells of triggers, views and foreign keys' actions, and tables that refer
/// to a touched one count as touched. The tests hold this against measuring everything.
final class SchemaGuard: StatementWatch {
    let core: ConnectionCore

    /// What is known of the database as it was before the migration that is running.
    struct Knowledge {
        var catalogue: SchemaCatalogue
        var schemaVersion: Int64
        var keys = ForeignKeys()
        /// Titles of the objects that no statement can use; nil while nobody has looked.
        var unusable: Set<String>?
        /// By table; nil where nobody can count.
        var rows: [String: Int64?] = [:]
        /// Rows without a parent, by child and parent.
        var orphans: [String: [String: Int]] = [:]
        /// Whether foreign keys were on when that was found out; they are compiled only then.
        var foreignKeysCount = true
        /// Names of tables, views and triggers that were found usable while foreign keys were off.
        var halfProbed: Set<String> = []
        /// Whether there are triggers that no schema shows, so that nothing can be told from names.
        var isOpaque = false
    }
    var known: Knowledge?

    /// What the migration that is running has done so far.
    struct Progress {
        var written: Set<String> = []
        var losing: Set<String> = []
        var children: Set<String> = []
        var schema = SchemaUse()
        var changesSchema = false
        var isFirstChange = true
        /// The tables whose definitions were added to; nil once other objects may have changed, too.
        var extended: Set<String>? = []
        var replaces = false
        var rowsBefore: [String: Int64?] = [:]
        var orphansBefore: [String: [String: Int]] = [:]
        /// Tables whose number of rows is known as it is now.
        var rowsNow: [String: Int64] = [:]
        var suspects = BlameTracker()
    }
    var progress = Progress()

    /// Where the statement that is running stands in its file; 0 for code.
    private var line = 0
    /// What may be why a check has failed.
    var suspect: BlameTracker.Statement?

    init(_ connection: borrowing Connection) { core = connection.core }

    // MARK: Watching

    /// Begins to watch a migration.
    func begin() {
        progress = Progress()
        line = 0
        suspect = nil
        core.schemaChanges += 1
        core.watch = self
    }

    /// Ceases to watch, whatever has become of the migration.
    func stop() { core.watch = nil }

    /// Forgets what others may have changed meanwhile.
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

    /// Reads the schema, when a migration is about to write for the first time.
    private func look() throws -> Knowledge {
        var known = Knowledge(
            catalogue: try SchemaCatalogue(core), schemaVersion: try core.schemaVersion())
        let all = SchemaCatalogue.Difference(added: known.catalogue.objects)
        _ = try known.keys.update(all, core)
        // What this connection has run before may have left some.
        let left = SQL("SELECT EXISTS (SELECT 1 FROM temp.sqlite_schema WHERE type = 'trigger')")
        known.isOpaque = try core.ask(left) { row in try row[0] as Bool }.first ?? false
        return known
    }

    private func prepare(_ sql: String, _ use: TableUse, _ known: inout Knowledge) throws {
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
        let effect = StatementEffect(sql, use, known.keys, replaces: progress.replaces)
        progress.written.formUnion(use.written)
        for table in use.written.union(effect.losing) { progress.rowsNow[table] = nil }
        var losing = effect.losing.union(known.catalogue.virtualTables(touchedBy: use.written))
        var children = effect.children
        if known.isOpaque {
            losing.formUnion(known.catalogue.objects.filter(\.hasRows).map(\.key))
            children.formUnion(known.keys.keys.keys)
        }
        progress.suspects.note(
            .init(line: line, sql: sql), takes: losing, orphans: children,
            changesSchema: use.schema != nil)
        progress.losing.formUnion(losing)
        progress.children.formUnion(children)
        // Rows that the migration itself has inserted are its own to delete.
        for table in losing.union(use.inserted) where progress.rowsBefore[table] == nil {
            guard let object = known.catalogue.countedTable(table) else { continue }
            let count = try known.rows[table] ?? RowCounts.rows(object.name, core)
            progress.rowsBefore.updateValue(count, forKey: table)
        }
        for child in children where progress.orphansBefore[child] == nil {
            guard known.keys.keys[child] != nil else { continue }
            progress.orphansBefore[child] =
                try known.orphans[child] ?? RowCounts.orphans(child, core)
        }
    }

    /// Finds out what is unusable before the first change of the schema, if that is not known. Whether foreign
    /// keys are on makes a difference.
    private func lookForUnusable(_ known: inout Knowledge) {
        let isOn = core.enforcesForeignKeys
        defer { known.foreignKeysCount = isOn }
        guard let before = known.unusable else {
            let objects = known.catalogue.objects
            known.unusable = Set(SchemaUsability.failures(of: objects, core).map(\.object))
            if !isOn { known.halfProbed = Set(objects.map(\.key)) }
            return
        }
        guard isOn != known.foreignKeysCount else { return }
        let doubtful = known.catalogue.objects.filter {
            isOn ? known.halfProbed.contains($0.key) : before.contains($0.title)
        }
        let failing = Set(SchemaUsability.failures(of: doubtful, core).map(\.object))
        known.unusable = before.subtracting(doubtful.map(\.title)).union(failing)
        known.halfProbed = isOn ? [] : Set(doubtful.map(\.key))
    }

    /// New objects come behind all others, and adding a column rewrites no other definition.
    private func noteExtent(of schema: SchemaUse, _ sql: String) {
        guard !schema.removesObjects else { return progress.extended = nil }
        guard !schema.altered.isEmpty else { return }
        if case .addColumn = AlterStatement(sql) {
            progress.extended?.formUnion(schema.altered)
        } else {
            progress.extended = nil
        }
    }

    /// Takes note that a table holds so many rows just now, from somebody who had to count them anyway.
    func note(_ count: Int64, rowsOf table: String) {
        let key = table.asciiLowercased
        if known?.catalogue.countedTable(key) != nil, progress.rowsBefore[key] == nil,
            !progress.written.contains(key), !progress.schema.names.contains(key)
        {
            progress.rowsBefore.updateValue(count, forKey: key)
        }
        progress.rowsNow[key] = count
    }
}
