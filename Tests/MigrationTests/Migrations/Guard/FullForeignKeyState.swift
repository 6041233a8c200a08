@testable import EngineTestSupport
@testable import Lockstep

/// The state of a database's foreign keys: those that refer to nothing, and the rows without a parent.
struct FullForeignKeyState {
    /// Rows without a parent, by reference.
    private var violations: [String: Int] = [:]
    /// References whose parent table or parent columns do not exist.
    private(set) var broken: Set<String> = []

    private struct Part {
        let child: String
        let id: Int
        let parent: String
        let column: SQLName?
    }

    /// Measures the current database.
    init(_ connection: borrowing Connection) throws {
        let parts = try Self.parts(connection)
        broken = try Self.broken(parts, connection)
        for child in Set(parts.map(\.child)) { try countViolations(of: child, connection) }
    }

    /// References whose parent table or parent columns do not exist, as `child → parent`.
    static func brokenReferences(_ connection: borrowing Connection) throws -> Set<String> {
        try broken(parts(connection), connection)
    }

    private static func parts(_ connection: borrowing Connection) throws -> [Part] {
        try connection.query(
            """
            SELECT t.name, f.id, f."table", f."to"
            FROM pragma_table_list AS t, pragma_foreign_key_list(t.name, 'main') AS f
            WHERE t.schema = 'main' AND t.type = 'table' ORDER BY t.name, f.id, f.seq
            """
        ) { row in
            Part(child: try row[0], id: try row[1], parent: try row[2], column: try row[3])
        }
    }

    private static func broken(
        _ parts: [Part], _ connection: borrowing Connection
    ) throws -> Set<String> {
        var broken: Set<String> = []
        for (_, key) in Dictionary(grouping: parts, by: { "\($0.child)/\($0.id)" }) {
            if let first = key.first, try !fits(key, parent: first.parent, connection) {
                broken.insert(name(first.child, first.parent))
            }
        }
        return broken
    }

    /// Whether a reference involves one of these tables.
    static func isReference(_ reference: String, of children: Set<SQLName>) -> Bool {
        children.contains { reference.hasPrefix("\($0.folded) → ") }
    }

    /// - Parameter allowed: Tables whose references may be broken.
    /// - Throws: ``LockstepError/Code/foreignKeysBroken`` for anything that was not so before.
    func requireNothingBroken(
        since before: FullForeignKeyState, allowed: Set<SQLName>
    ) throws(LockstepError) {
        let new = broken.subtracting(before.broken)
        if let reference = new.filter({ !Self.isReference($0, of: allowed) }).min() {
            throw LockstepError(
                .foreignKeysBroken, "a foreign key has nothing to refer to: \(reference)",
                hint: "the parent must exist and its columns must be its primary key or unique")
        }
        // Where the reference itself was broken, its violations could not be counted.
        for (reference, count) in violations.sorted(by: { $0.key < $1.key })
        where count > before.violations[reference, default: 0] && !before.broken.contains(reference)
            && !Self.isReference(reference, of: allowed)
        {
            throw LockstepError(
                .foreignKeysBroken, "\(counted(count, "row")) of \(reference) \(count == 1 ? "has" : "have") no parent",
                hint: "insert the parents first, or delete the children and declare it")
        }
    }

    private static func name(_ child: String, _ parent: String) -> String {
        "\(SQLName(child).folded) → \(SQLName(parent).folded)"
    }

    private mutating func countViolations(
        of child: String, _ connection: borrowing Connection
    ) throws {
        let parents: [String]
        do {
            parents = try connection.query(
                "PRAGMA main.foreign_key_check(\(name: child))"
            ) { row in try row[2] as String }
        } catch let error as LockstepError where error.code == .sqlFailed {
            // SQLite cannot check a table that references non-unique columns.
            return
        }
        for parent in parents { violations[Self.name(child, parent), default: 0] += 1 }
    }

    // MARK: Possible parents

    private static func fits(
        _ key: [Part], parent: String, _ connection: borrowing Connection
    ) throws -> Bool {
        let columns = Set(key.compactMap(\.column))
        return try candidateKeys(of: parent, connection).contains { candidate in
            columns.isEmpty ? candidate.isPrimary && candidate.columns.count == key.count : candidate.columns == columns
        }
    }

    /// The sets of columns of `table` that can identify a row as a parent.
    private static func candidateKeys(
        of table: String, _ connection: borrowing Connection
    ) throws -> [(columns: Set<SQLName>, isPrimary: Bool)] {
        let primary = try connection.query(
            "SELECT name FROM pragma_table_info(?, 'main') WHERE pk > 0", table
        ) { row in try row[0] as SQLName }
        var keys: [(columns: Set<SQLName>, isPrimary: Bool)] = []
        if !primary.isEmpty { keys.append((Set(primary), true)) }
        let indexes = try connection.query(
            "SELECT name FROM pragma_index_list(?, 'main') WHERE \"unique\" = 1 AND partial = 0", table
        ) { row in try row[0] as String }
        for index in indexes {
            let columns = try connection.query(
                "SELECT name FROM pragma_index_info(?, 'main')", index
            ) { row in try row[0] as SQLName? }
            if !columns.contains(nil) { keys.append((Set(columns.compactMap(\.self)), false)) }
        }
        return keys
    }
}
