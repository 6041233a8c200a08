internal import CSQLCipher

/// Copies a database object by object and row by row between connections that can differ in page size, cipher
/// and text encoding. The copy is compared with the original before it is used.
///
/// Kept: all tables with their rows and rowids, indexes, triggers, views, full-text and other virtual tables,
/// AUTOINCREMENT's counters, the planner's statistics, `user_version`. From a connection with a
/// ``DisabledFTS5`` the content of full-text tables is copied, and their indexes are built from it.
struct LogicalCopy: ~Copyable {
    private let source: CopySource
    private let progress: JobProgress.Handler
    private var done = 0

    /// The original's schema and size.
    private struct CopySource {
        let objects: [CopiedObject]
        let leftOut: [String]
        let tables: [CopiedTable]
        let total: Int
        /// The full-text tables whose index is not copied.
        let fullText: Set<SQLName>
    }

    /// The objects that are not copied, in the order of their creation.
    var leftOut: [String] { source.leftOut }

    /// - Parameters:
    ///   - original: The database to copy, with an open snapshot.
    ///   - names: Objects that are not copied, with the indexes and triggers of a table and what stores a virtual table.
    /// - Throws: ``LockstepError/Code/malformedInput`` if it has none of such a name.
    init(
        of original: borrowing Connection, without names: [String] = [], _ progress: @escaping JobProgress.Handler
    ) throws {
        let all = try CopiedObject.all(original)
        if let name = names.first(where: { name in !all.contains { $0.isNamed(name) } }) {
            throw LockstepError(
                .malformedInput, "\(original.path) has no table, index, view or trigger \(name) to leave out",
                hint: "check its spelling", context: .file(original.path))
        }
        func isLeftOut(_ object: CopiedObject) -> Bool { names.contains { object.isPart(of: $0) } }
        let objects = all.filter { !isLeftOut($0) }
        let leftOut = all.filter(isLeftOut).map(\.name)
        let fullText = (original.core.disabledFTS5?.tables ?? []).subtracting(names.map { SQLName($0) })
        let tables = try CopiedTable.all(original).filter { table in
            guard objects.contains(where: { $0.isNamed(table.name) }) else { return false }
            guard let part = DisabledFTS5.owner(of: table.name, among: fullText)?.part else {
                return true
            }
            return part == "content"
        }
        let total = try tables.reduce(0) { sum, table in
            try sum + (original.value("SELECT count(*) FROM main.\(name: table.name)") ?? 0)
        }
        source = CopySource(objects: objects, leftOut: leftOut, tables: tables, total: total, fullText: fullText)
        self.progress = progress
    }

    // MARK: Copying

    /// Fills the empty database `copy` in one transaction.
    /// - Parameter collations: What both connections were lent.
    /// - Throws: ``LockstepError`` for an object that cannot be created, for instance because the connection
    ///   lacks a function or collation: nothing is left out silently.
    mutating func run(
        from original: borrowing Connection, to copy: borrowing Connection, _ collations: OwnCollations
    ) throws {
        try copy.with(rights: .engine) {
            try Self.relax(copy, true)
            try copy.write { copy in
                try makeTables(copy, collations)
                for table in source.tables { try copyRows(table, original, copy) }
                try makeRest(copy, collations)
                try buildFullText(original, copy)
                try copySystemTables(original, copy)
                try copy.setHeaderField("user_version", original.headerField("user_version"))
            }
            try Self.relax(copy, false)
        }
    }

    /// Old schemas can have strings in double quotes, shadow tables refuse writes, and rows can come before the
    /// rows that they refer to.
    private static func relax(_ copy: borrowing Connection, _ on: Bool) throws {
        try copy.setPragma("foreign_keys", on ? "OFF" : "ON")
        for (option, value) in [
            (SQLITE_DBCONFIG_DQS_DDL, on), (SQLITE_DBCONFIG_DEFENSIVE, !on),
        ] {
            let code = unsafe lockstep_db_config_flag(copy.handle, Int32(option), value ? 1 : 0)
            guard code == SQLITE_OK else { throw copy.core.error(code) }
        }
    }

    private func makeTables(_ copy: borrowing Connection, _ collations: OwnCollations) throws {
        for object in source.objects where object.type == "table" {
            // Virtual tables create their shadow tables.
            guard !object.isMadeByAnother else { continue }
            try make(object, copy, collations)
        }
        // No virtual table creates a table that only has such a name, as the content of a full-text index can.
        for object in source.objects where object.type == "table" && object.isMadeByAnother {
            let made: Int? = try copy.value(
                "SELECT count(*) FROM main.sqlite_schema WHERE type = 'table' AND name = ?", object.name)
            if made == 0 { try make(object, copy, collations) }
        }
    }

    private func makeRest(_ copy: borrowing Connection, _ collations: OwnCollations) throws {
        for type in ["index", "view", "trigger"] {
            for object in source.objects where object.type == type { try make(object, copy, collations) }
        }
    }

    /// Runs once the tables and views that can hold the content exist.
    private func buildFullText(
        _ original: borrowing Connection, _ copy: borrowing Connection
    ) throws {
        for name in source.fullText.sorted() {
            let index = FullTextIndex(name: name.spelling)
            let select = try original.prepare(index.savedSettings)
            let insert = try copy.prepare(index.setting)
            try select.begin()
            while try select.step() { try insert.run(copyingRowOf: select) }
            try index.build(copy)
        }
    }

    private func make(
        _ object: CopiedObject, _ copy: borrowing Connection, _ collations: OwnCollations
    ) throws {
        do {
            try copy.execute(SQL(verbatim: object.sql))
            try collations.require()
        } catch {
            throw error.located(
                "the \(object.type) \(object.name) cannot be created in the copy",
                advice: """
                    if it needs what only the program has that wrote the file, adopt the file from a program that \
                    registers it in ConnectionOptions, or leave the object out: \(.leaveOut(object.name))
                    """)
        }
    }

    private mutating func copyRows(
        _ table: CopiedTable, _ original: borrowing Connection, _ copy: borrowing Connection
    ) throws {
        // A new virtual table fills its shadow tables with the content of an empty one.
        if table.belongsToVirtual { try copy.execute("DELETE FROM main.\(name: table.name)") }
        let select = try original.prepare(table.selection)
        let insert = try copy.prepare(table.insertion)
        try select.begin()
        guard let rowIDs = table.rowIDs else {
            while try select.step() {
                try insert.run(copyingRowOf: select)
                try countRow()
            }
            return
        }
        let number = try original.prepare(rowIDs.selection)
        let assign = try copy.prepare(rowIDs.assignment)
        try number.begin()
        while try select.step(), try number.step() {
            try insert.run(copyingRowOf: select)
            try assign.run(copyingRowOf: number)
            try countRow()
        }
    }

    private mutating func countRow() throws {
        done += 1
        guard done.isMultiple(of: 4096) || done == source.total else { return }
        try progress(JobProgress(.copying, done, of: source.total, .rows))
    }

    private func copySystemTables(
        _ original: borrowing Connection, _ copy: borrowing Connection
    ) throws {
        let present = Set(
            try original.query("SELECT name FROM main.sqlite_schema WHERE type = 'table'") { row in
                try row[0] as SQLName
            })
        if present.contains("sqlite_sequence") {
            try copy.execute("DELETE FROM main.sqlite_sequence")
            try copyAll("sqlite_sequence", ["name", "seq"], original, copy)
        }
        if present.contains("sqlite_stat1") {
            // Creates the table and analyzes nothing.
            try copy.execute("ANALYZE main.sqlite_schema")
            try copyAll("sqlite_stat1", ["tbl", "idx", "stat"], original, copy)
        }
    }

    private func copyAll(
        _ table: String, _ columns: [String], _ original: borrowing Connection, _ copy: borrowing Connection
    ) throws {
        let names = columns.joined(separator: ", ")
        let places = columns.map { _ in "?" }.joined(separator: ", ")
        let select = try original.prepare("SELECT \(verbatim: names) FROM main.\(name: table) ORDER BY rowid")
        let insert = try copy.prepare(
            "INSERT INTO main.\(name: table) (\(verbatim: names)) VALUES (\(verbatim: places))")
        try select.begin()
        while try select.step() { try insert.run(copyingRowOf: select) }
    }

    // MARK: Comparing

    /// Compares every row of the copy with the original's, and returns each table's row count.
    /// - Throws: ``LockstepError/Code/damaged`` if they differ.
    func compare(
        _ original: borrowing Connection, with copy: borrowing Connection
    ) throws -> [ExactText: Int] {
        var counts: [ExactText: Int] = [:]
        for table in source.tables {
            let rows = try compare(table, original, copy)
            if !table.belongsToVirtual { counts[ExactText(table.name)] = rows }
        }
        return counts
    }

    private func compare(
        _ table: CopiedTable, _ original: borrowing Connection, _ copy: borrowing Connection
    ) throws -> Int {
        let first = try original.prepare(table.selection)
        let second = try copy.prepare(table.lookup ?? table.selection)
        var rows = 0
        try first.begin()
        try second.begin()
        while try first.step() {
            rows += 1
            if let key = table.keyColumns { try second.look(upRowOf: first, key) }
            guard try second.step(), first.hasSameRow(as: second) else {
                throw differs(table, row: rows)
            }
            if table.lookup != nil { _ = second.end() }
        }
        let copied: Int? = try copy.value("SELECT count(*) FROM main.\(name: table.name)")
        guard copied == rows else { throw differs(table, row: rows + 1) }
        if let rowIDs = table.rowIDs {
            let one = try original.prepare(rowIDs.selection)
            let other = try copy.prepare(rowIDs.selection)
            try one.begin()
            try other.begin()
            for row in 0..<rows {
                guard try one.step(), try other.step(), one.hasSameRow(as: other) else {
                    throw differs(table, row: row + 1)
                }
            }
        }
        return rows
    }

    private func differs(_ table: CopiedTable, row: Int) -> LockstepError {
        LockstepError(
            .damaged, "row \(row) of the table \(table.name) in the copy differs from the original",
            hint:
                "check the original with SQLite's `PRAGMA integrity_check`; the copy is discarded",
            context: .init(table: table.name))
    }
}
