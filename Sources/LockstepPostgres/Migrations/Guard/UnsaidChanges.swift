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
        said = script.statements.reduce(into: []) { $0.formUnion(StatementReader($1.sql).changedNames) }
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

    /// - Parameter isChanged: Whether the rows of a table have gone or changed, by its number.
    /// - Returns: The changes that are declared.
    /// - Throws: `LockstepError.Code.valuesLost` for one that is neither said nor declared.
    func requireNone(
        _ changes: [Change], _ connection: borrowing ServerConnection, isChanged: (Int64) -> Bool
    ) throws -> [LockstepError] {
        var tolerated: [LockstepError] = []
        for change in changes where Self.leftOut != ExactText(change.root) {
            guard try !isSaid(change, connection) else { continue }
            let causes = try Self.causes(change.number, connection).filter { isChanged($0.parent) }
            let columns = causes.map(\.column)
            let context = LockstepError.Context(table: change.root, column: columns.count == 1 ? columns[0] : nil)
            let reasons =
                causes.isEmpty
                ? "a trigger or a function writes it"
                : causes.map { "\($0.action) of \(change.root).\($0.column), when rows of \($0.parentName) changed" }
                    .joined(separator: ", ")
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

    private struct Cause {
        let parent: Int64
        let parentName: String
        let column: String
        let action: String
    }

    /// The foreign keys of a table that change its rows.
    private static func causes(_ number: Int64, _ connection: borrowing ServerConnection) throws -> [Cause] {
        try connection.query(
            """
            SELECT k.confrelid::int8, p.relname::text, a.attname::text,
                CASE WHEN k.confdeltype OPERATOR(pg_catalog.=) 'n' THEN 'ON DELETE SET NULL'
                    WHEN k.confdeltype OPERATOR(pg_catalog.=) 'd' THEN 'ON DELETE SET DEFAULT'
                    WHEN k.confupdtype OPERATOR(pg_catalog.=) 'c' THEN 'ON UPDATE CASCADE'
                    WHEN k.confupdtype OPERATOR(pg_catalog.=) 'n' THEN 'ON UPDATE SET NULL'
                    ELSE 'ON UPDATE SET DEFAULT' END
            FROM pg_catalog.pg_constraint AS k
            JOIN pg_catalog.pg_class AS p ON p.oid OPERATOR(pg_catalog.=) k.confrelid
            JOIN pg_catalog.pg_attribute AS a ON a.attrelid OPERATOR(pg_catalog.=) k.conrelid
                AND a.attnum OPERATOR(pg_catalog.=) ANY (k.conkey)
            WHERE k.contype OPERATOR(pg_catalog.=) 'f' AND k.conrelid OPERATOR(pg_catalog.=) \(number)::int8::oid
                AND (k.confdeltype OPERATOR(pg_catalog.=) ANY (ARRAY['n', 'd']::"char"[])
                    OR k.confupdtype OPERATOR(pg_catalog.=) ANY (ARRAY['c', 'n', 'd']::"char"[]))
            ORDER BY k.conname, a.attnum
            """
        ) { row in
            Cause(parent: try row[0], parentName: try row[1], column: try row[2], action: try row[3])
        }
    }
}
