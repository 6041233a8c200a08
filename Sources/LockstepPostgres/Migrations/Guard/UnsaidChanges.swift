internal import Lockstep

/// Rows that a version has changed although none of its statements says so: the action of a foreign key, or a trigger.
/// The server counts them with all others; only a foreign key shows which columns they are.
struct UnsaidChanges {
    private let script: ServerScript
    /// The tables and views that its statements change by name.
    private let said: Set<SQLName>

    /// Negative control of the tests: a table whose changes are not looked at.
    @TaskLocal static var leftOut: ExactText?

    init(_ script: ServerScript) {
        self.script = script
        said = script.readers.reduce(into: []) { $0.formUnion($1.changedNames) }
    }

    /// A table whose rows have changed.
    struct Change {
        let number: Int64
        /// Its name before the version and after it.
        let names: [String]
        /// The name that a migration can know it by: a partition's is that of the whole.
        let root: String
        let rows: Int
    }

    /// What has happened to rows of a table.
    struct Fate {
        let haveGone: Bool
        let haveChanged: Bool
    }

    /// - Parameter fate: Of the rows of a table, by its number.
    /// - Returns: The changes that are declared.
    /// - Throws: `LockstepError.Code.valuesLost` for one that is neither said nor declared.
    func requireNone(
        _ changes: [Change], _ connection: borrowing ServerConnection, fate: (Int64) -> Fate
    ) throws -> [LockstepError] {
        var tolerated: [LockstepError] = []
        for change in changes where Self.leftOut != ExactText(change.root) {
            guard try !isSaid(change, connection) else { continue }
            let causes = try Self.keyColumns(change.number, connection).flatMap {
                $0.causes(fate($0.parent), in: change.root)
            }
            let columns = causes.map(\.column).reduce(into: [String]()) { columns, column in
                if !columns.contains(where: { $0.hasSameBytes(as: column) }) { columns.append(column) }
            }
            let context = LockstepError.Context(table: change.root, column: columns.count == 1 ? columns[0] : nil)
            let reasons =
                causes.isEmpty
                ? "a trigger or a function writes it"
                : causes.map(\.text).joined(separator: ", ")
            let what = "\(change.rows) rows of \(change.root) are changed, which no statement says: \(reasons)"
            if isAllowed(change, columns) {
                tolerated.append(LockstepError(.valuesLost, "values are lost, as declared: \(what)", context: context))
                continue
            }
            let directives =
                columns.isEmpty
                ? ["unchecked table \(change.root)"]
                : columns.map { "allow changed values of column \(change.root).\($0)" }
            throw LockstepError(
                .valuesLost, "values would be lost: \(what)",
                hint: "if that is intended, declare "
                    + directives.map { "`-- lockstep: \($0)`" }.joined(separator: " and "),
                context: context)
        }
        return tolerated
    }

    private func isAllowed(_ change: Change, _ columns: [String]) -> Bool {
        func allows(_ column: String?) -> Bool {
            (change.names + [change.root]).contains { script.allowsChangedValues(of: column, in: $0) }
        }
        return columns.isEmpty ? allows(nil) : columns.allSatisfy { allows($0) }
    }

    private func isSaid(_ change: Change, _ connection: borrowing ServerConnection) throws -> Bool {
        if (change.names + [change.root]).contains(where: { said.contains(SQLName($0)) }) { return true }
        guard !said.isEmpty else { return false }
        return try Self.wholes(change.number, connection).contains { said.contains(SQLName($0)) }
    }

    /// The tables that a table inherits from and the views that read it, at any distance: a statement can name these.
    private static func wholes(_ number: Int64, _ connection: borrowing ServerConnection) throws -> [String] {
        try connection.query(
            """
            WITH RECURSIVE wholes (oid) AS (
                SELECT \(number)::int8::oid
                UNION
                SELECT e.whole FROM wholes JOIN (
                    SELECT inhrelid AS part, inhparent AS whole FROM pg_catalog.pg_inherits
                    UNION ALL
                    SELECT d.refobjid, r.ev_class FROM pg_catalog.pg_depend AS d
                    JOIN pg_catalog.pg_rewrite AS r ON r.oid OPERATOR(pg_catalog.=) d.objid
                    WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_rewrite'::regclass
                        AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::regclass
                ) AS e ON e.part OPERATOR(pg_catalog.=) wholes.oid
            )
            SELECT c.relname::text FROM wholes
            JOIN pg_catalog.pg_class AS c ON c.oid OPERATOR(pg_catalog.=) wholes.oid
            """
        ) { try $0[0] as String }
    }

    /// A column of a foreign key, and what happens to it when rows of the parent go or change.
    private struct KeyColumn {
        let parent: Int64
        let parentName: String
        let name: String
        /// Nil for what changes no row.
        let onDelete: String?
        let onUpdate: String?

        /// What can have changed it.
        func causes(_ fate: Fate, in table: String) -> [(column: String, text: String)] {
            let deletion = fate.haveGone ? onDelete.map { ("ON DELETE \($0)", "went") } : nil
            let update = fate.haveChanged ? onUpdate.map { ("ON UPDATE \($0)", "changed") } : nil
            return [deletion, update].compactMap(\.self).map { action, what in
                (name, "\(action) of \(table).\(name), when rows of \(parentName) \(what)")
            }
        }
    }

    private static func keyColumns(
        _ number: Int64, _ connection: borrowing ServerConnection
    ) throws -> [KeyColumn] {
        try connection.query(
            """
            SELECT k.confrelid::int8, p.relname::text, a.attname::text, k.confdeltype::text, k.confupdtype::text
            FROM pg_catalog.pg_constraint AS k
            JOIN pg_catalog.pg_class AS p ON p.oid OPERATOR(pg_catalog.=) k.confrelid
            JOIN pg_catalog.pg_attribute AS a ON a.attrelid OPERATOR(pg_catalog.=) k.conrelid
                AND a.attnum OPERATOR(pg_catalog.=) ANY (k.conkey)
            WHERE k.contype OPERATOR(pg_catalog.=) 'f' AND k.conrelid OPERATOR(pg_catalog.=) \(number)::int8::oid
            ORDER BY k.conname, a.attnum
            """
        ) { row in
            // A row that goes with its parent's is a row gone, and counted as that.
            KeyColumn(
                parent: try row[0], parentName: try row[1], name: try row[2],
                onDelete: ["n": "SET NULL", "d": "SET DEFAULT"][try row[3] as String],
                onUpdate: ["c": "CASCADE", "n": "SET NULL", "d": "SET DEFAULT"][try row[4] as String])
        }
    }
}
