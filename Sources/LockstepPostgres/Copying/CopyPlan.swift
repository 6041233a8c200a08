internal import Lockstep

/// Which tables a copy takes, in an order in which each row's references are there before it.
struct CopyPlan {
    /// Tables that go together, because they refer to each other; most are alone.
    struct Group {
        let tables: [CopyTable]
        /// Whether rows can come before those that they refer to.
        let isCycle: Bool

        /// Whether it goes in chunks, each a transaction that records how far it came.
        var isChunked: Bool { !isCycle && !tables[0].key.isEmpty }
    }

    let groups: [Group]

    var tables: [CopyTable] { groups.flatMap(\.tables) }

    /// - Throws: `LockstepError.Code.typeMismatch` for a table or column that one of the two has not, or whose type
    ///   does not cross.
    init(
        _ file: borrowing Connection, _ server: borrowing ServerConnection, schema: String
    ) throws {
        let names = try file.query(
            """
            SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
                AND substr(name, 1, 7) <> 'sqlite_' AND substr(name, 1, 9) <> 'lockstep_'
            ORDER BY name
            """
        ) { try $0[0] as String }
        var tables: [CopyTable] = []
        for name in names {
            guard let own = try SealedTable(name, file) else { continue }
            guard let other = try ServerTable(name, in: schema, server) else {
                throw LockstepError(
                    .typeMismatch, "the file's table \(name) is not on the server",
                    hint: "give the set a file for the other engine that makes the same tables",
                    context: .init(table: name))
            }
            tables.append(try CopyTable(own, other))
        }
        groups = try Self.groups(tables, Self.references(schema, server))
    }

    /// Rows that only the server has would be lost on the way to a file.
    /// - Throws: `LockstepError.Code.typeMismatch` for a table with rows that the file has not.
    func requireAll(
        but left: [String], _ schema: String, _ server: borrowing ServerConnection
    ) throws {
        let others = try server.query(
            """
            SELECT c.oid::int8, c.relname::text FROM pg_catalog.pg_class AS c
            JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
            WHERE n.nspname OPERATOR(pg_catalog.=) \(schema)::name
                AND c.relkind OPERATOR(pg_catalog.=) ANY ('{r,p,f}'::"char"[]) AND NOT c.relispartition
                AND NOT pg_catalog.starts_with(c.relname::text, \(EngineTable.prefix))
                AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend AS d
                    WHERE d.objid OPERATOR(pg_catalog.=) c.oid AND d.deptype OPERATOR(pg_catalog.=) 'e')
            ORDER BY 2
            """
        ) { (oid: try $0[0] as UInt32, name: try $0[1] as String) }
        let known = Set(tables.map(\.server.oid))
        for (oid, name) in others where !known.contains(oid) && !left.containsBytes(of: name) {
            let place = "\(SQLTokens.quote(schema)).\(SQLTokens.quote(name))"
            guard try server.value("SELECT EXISTS (SELECT FROM \(verbatim: place))") != false
            else { continue }
            throw LockstepError(
                .typeMismatch, "the server's table \(name) has rows and is not in the file",
                hint:
                    "make it in the set, with a version for both engines, or name it as one to leave out",
                context: .init(table: name))
        }
    }

    /// Which table refers to which, by their numbers.
    private static func references(
        _ schema: String, _ server: borrowing ServerConnection
    ) throws -> [UInt32: Set<UInt32>] {
        let pairs = try server.query(
            """
            SELECT f.conrelid::int8, f.confrelid::int8 FROM pg_catalog.pg_constraint AS f
            JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) f.connamespace
            WHERE f.contype OPERATOR(pg_catalog.=) 'f' AND n.nspname OPERATOR(pg_catalog.=) \(schema)::name
            """
        ) { (try $0[0] as UInt32, try $0[1] as UInt32) }
        return Dictionary(grouping: pairs, by: \.0).mapValues { Set($0.map(\.1)) }
    }

    /// Takes one table after the other whose references are all taken. Where there is none, the rest of those that
    /// refer to each other goes together.
    private static func groups(
        _ tables: [CopyTable], _ references: [UInt32: Set<UInt32>]
    ) -> [Group] {
        var groups: [Group] = []
        var rest = tables
        while !rest.isEmpty {
            let open = Set(rest.map(\.server.oid))
            if let next = rest.firstIndex(where: { table in
                references[table.server.oid, default: []].isDisjoint(with: open)
            }) {
                groups.append(Group(tables: [rest.remove(at: next)], isCycle: false))
                continue
            }
            // The smallest set that refers to nothing else that is left.
            let closures = rest.map { closure(of: $0.server.oid, references, within: open) }
            guard let cycle = closures.min(by: { $0.count < $1.count }) else { break }
            groups.append(Group(tables: rest.filter { cycle.contains($0.server.oid) }, isCycle: true))
            rest.removeAll { cycle.contains($0.server.oid) }
        }
        return groups
    }

    private static func closure(
        of table: UInt32, _ references: [UInt32: Set<UInt32>], within open: Set<UInt32>
    ) -> Set<UInt32> {
        var found: Set<UInt32> = [table]
        var new = found
        while !new.isEmpty {
            let next = new.reduce(into: Set<UInt32>()) {
                $0.formUnion(references[$1, default: []])
            }
            new = next.intersection(open).subtracting(found)
            found.formUnion(new)
        }
        return found
    }
}
