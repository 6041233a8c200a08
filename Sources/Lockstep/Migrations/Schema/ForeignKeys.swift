/// The foreign keys of a schema: which tables refer to which, and which references have no target.
struct ForeignKeys {
    struct Key: Equatable {
        /// The parent table, as spelled in the definition.
        let parent: SQLName
        /// The columns of the child.
        var columns: [SQLName] = []
        /// The columns of the parent; empty for its primary key.
        var parentColumns: [SQLName] = []
        /// The action on the child's rows, in lower case.
        let onDelete: String
        let onUpdate: String
    }

    /// A child and a parent that it refers to.
    struct Reference: Hashable, Comparable, CustomStringConvertible {
        let child: SQLName
        let parent: SQLName

        var description: String { "\(child.folded) → \(parent.folded)" }

        static func < (one: Reference, other: Reference) -> Bool {
            one.description < other.description
        }
    }

    /// A set of columns that can be referenced.
    private struct Candidate: Equatable {
        let columns: Set<SQLName>
        let isPrimary: Bool
        /// The collations that compare the columns.
        let collations: [String]
    }

    /// The foreign keys by child; only for tables that have any.
    private(set) var keys: [SQLName: [Key]] = [:]
    private var children: [SQLName: Set<SQLName>] = [:]
    private var candidates: [SQLName: [Candidate]] = [:]
    private var brokenKeys: [SQLName: Set<Reference>] = [:]

    /// References whose parent table or parent columns do not exist.
    var broken: Set<Reference> {
        brokenKeys.values.reduce(into: []) { $0.formUnion($1) }
    }

    /// Whether `child` has such a reference.
    func isBroken(_ child: SQLName) -> Bool { brokenKeys[child] != nil }

    /// The tables that refer to `parent`.
    func children(of parent: SQLName) -> Set<SQLName> { children[parent] ?? [] }

    /// The columns of the parent that a key refers to; nil if unknown.
    func referencedColumns(_ key: Key) -> Set<SQLName>? {
        guard key.parentColumns.isEmpty else { return Set(key.parentColumns) }
        return candidates[key.parent]?.first { $0.isPrimary }?.columns
    }

    // MARK: Learning

    /// Updates everything after a change of the schema.
    /// - Returns: The children whose keys have changed, and the children whose parents can now be referenced by
    ///   other columns than before.
    mutating func update(
        _ difference: SchemaCatalogue.Difference, _ core: ConnectionCore
    ) throws -> (changed: Set<SQLName>, affected: Set<SQLName>) {
        var before: [SQLName: [Key]] = [:]
        // A change of a table's columns or unique indexes can change which references are possible.
        var parents: Set<SQLName> = []
        for object in difference.removed + difference.added {
            switch object.kind {
            // Added columns are not part of a key or an index.
            case .table:
                if !difference.widened.contains(object.name) { parents.insert(object.name) }
            case .index(let isUnique): if isUnique { parents.insert(object.table) }
            default: continue
            }
        }
        for object in difference.removed where object.kind == .table {
            before[object.name] = forget(object.name)
        }
        for object in difference.added where object.kind == .table && object.hasReferences {
            try learn(object, core)
        }
        var changed: Set<SQLName> = []
        for object in difference.removed + difference.added where object.kind == .table {
            if before[object.name] ?? [] != keys[object.name] ?? [] { changed.insert(object.name) }
        }
        let affected = try reconsider(parents, core)
        let learned = difference.added.filter { $0.kind == .table }.map(\.name)
        for child in changed.union(affected).union(learned) { try findBroken(child, core) }
        return (changed, affected)
    }

    private mutating func forget(_ child: SQLName) -> [Key] {
        brokenKeys[child] = nil
        let gone = keys.removeValue(forKey: child) ?? []
        for key in gone { children[key.parent]?.remove(child) }
        return gone
    }

    private mutating func learn(_ object: CatalogueEntry, _ core: ConnectionCore) throws {
        var found: [Key] = []
        var last = -1
        _ = try core.ask(
            """
            SELECT id, "table", "from", "to", on_delete, on_update
            FROM pragma_foreign_key_list(?, 'main') ORDER BY id, seq
            """, object.name.spelling
        ) { row in
            let id: Int = try row[0]
            if id != last {
                found.append(
                    Key(
                        parent: try row[1],
                        onDelete: (try row[4] as String).asciiLowercased,
                        onUpdate: (try row[5] as String).asciiLowercased))
            }
            last = id
            found[found.count - 1].columns.append(try row[2])
            if let column = try row[3] as SQLName? {
                found[found.count - 1].parentColumns.append(column)
            }
        }
        guard !found.isEmpty else { return }
        keys[object.name] = found
        for key in found { children[key.parent, default: []].insert(object.name) }
    }

    // MARK: Referenced columns

    /// Determines again which columns of these tables can be referenced, and returns the affected children.
    private mutating func reconsider(
        _ parents: Set<SQLName>, _ core: ConnectionCore
    ) throws -> Set<SQLName> {
        var affected: Set<SQLName> = []
        for parent in parents {
            let old = candidates.removeValue(forKey: parent)
            let children = children(of: parent)
            guard !children.isEmpty, let old else {
                affected.formUnion(children)
                continue
            }
            if try candidates(of: parent, core) != old { affected.formUnion(children) }
        }
        return affected
    }

    private mutating func findBroken(_ child: SQLName, _ core: ConnectionCore) throws {
        brokenKeys[child] = nil
        for key in keys[child] ?? [] where try !fits(key, core) {
            brokenKeys[child, default: []].insert(Reference(child: child, parent: key.parent))
        }
    }

    private mutating func fits(_ key: Key, _ core: ConnectionCore) throws -> Bool {
        let columns = Set(key.parentColumns)
        return try candidates(of: key.parent, core).contains { candidate in
            columns.isEmpty
                ? candidate.isPrimary && candidate.columns.count == key.columns.count : candidate.columns == columns
        }
    }

    private mutating func candidates(
        of table: SQLName, _ core: ConnectionCore
    ) throws -> [Candidate] {
        if let known = candidates[table] { return known }
        let primary = try core.ask(
            "SELECT name FROM pragma_table_info(?, 'main') WHERE pk > 0",
            table.spelling
        ) { row in try row[0] as SQLName }
        var found: [Candidate] = []
        if !primary.isEmpty {
            found.append(Candidate(columns: Set(primary), isPrimary: true, collations: []))
        }
        let indexed = try core.ask(
            """
            SELECT l.seq, x.name, x.coll FROM pragma_index_list(?, 'main') AS l,
                pragma_index_xinfo(l.name, 'main') AS x
            WHERE l."unique" = 1 AND l.partial = 0 AND x.key = 1 ORDER BY l.seq, x.seqno
            """, table.spelling
        ) { row in (try row[0] as Int, try row[1] as SQLName?, try row[2] as String?) }
        for index in Dictionary(grouping: indexed, by: \.0).sorted(by: { $0.key < $1.key }) {
            let columns = index.value.map(\.1)
            // Expressions have no name and cannot be referenced.
            guard !columns.contains(nil) else { continue }
            found.append(
                Candidate(
                    columns: Set(columns.compactMap(\.self)), isPrimary: false,
                    collations: index.value.map { $0.2 ?? "" }))
        }
        candidates[table] = found
        return found
    }

    // MARK: Rows

    /// The number of rows of `child` without a parent, by parent.
    static func orphans(_ child: SQLName, _ core: ConnectionCore) throws -> [SQLName: Int] {
        var counts: [SQLName: Int] = [:]
        do {
            _ = try core.ask("PRAGMA main.foreign_key_check(\(name: child.spelling))") { row in
                counts[try row[2], default: 0] += 1
            }
        } catch let error as LockstepError where error.code == .sqlFailed {
            // SQLite cannot check a table with a reference to columns that are not unique.
            return [:]
        }
        return counts
    }
}
