internal import Lockstep

/// The objects of a schema and their definitions, as the server itself prints them. Lockstep's own tables are left out.
struct ServerSnapshot {
    struct Object: Hashable {
        /// Such as `column` or `index`.
        @Exact private(set) var type: String
        @Exact private(set) var name: String
    }

    let definitions: [Object: String]
    /// The parts of tables that are not in the set: a program makes them at run time.
    private let owners: [Object: ExactText]
    private let partitions: [ExactText: ExactText]
    /// What it does not have.
    static let leftOut = "owners, grants, event triggers, operators, casts and statistics"

    /// Reads the schema, which must be the connection's current one: names in it are then printed without it.
    init(of schema: String, _ connection: borrowing ServerConnection) throws {
        var definitions: [Object: String] = [:]
        var owners: [Object: ExactText] = [:]
        for query in Self.queries {
            let rows = try connection.query(
                """
                SELECT o.type, o.name, o.definition, o.owner::text
                FROM (\(verbatim: query)) AS o (space, owner, type, name, definition)
                WHERE o.space OPERATOR(pg_catalog.=) \(schema)::name
                    AND NOT pg_catalog.starts_with(o.owner::text, \(EngineTable.prefix))
                """
            ) { (Object(type: try $0[0], name: try $0[1]), try $0[2] as String? ?? "", ExactText(try $0[3] as String)) }
            for (object, definition, owner) in rows { (definitions[object], owners[object]) = (definition, owner) }
        }
        (self.definitions, self.owners) = (definitions, owners)
        let parts = try connection.query(
            """
            SELECT c.relname::text, r.relname::text FROM pg_catalog.pg_class AS c
            JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
            JOIN pg_catalog.pg_class AS r ON r.oid OPERATOR(pg_catalog.=) pg_catalog.pg_partition_root(c.oid)
            WHERE n.nspname OPERATOR(pg_catalog.=) \(schema)::name AND c.relispartition
                AND c.relkind OPERATOR(pg_catalog.=) ANY ('{r,p,f}'::"char"[])
            """
        ) { (ExactText(try $0[0] as String), ExactText(try $0[1] as String)) }
        partitions = Dictionary(parts) { first, _ in first }
    }

    /// Whether an object belongs to a partition that another schema does not have, and follows from the table that it is
    /// a part of: a program makes such partitions at run time.
    private func isOfOwnPartition(_ object: Object, beside other: ServerSnapshot) -> Bool {
        guard ["table", "column", "constraint", "index"].containsBytes(of: object.type), let owner = owners[object],
            let root = partitions[owner]
        else { return false }
        return other.partitions[owner] == nil && other.definitions[Object(type: "table", name: root.text)] != nil
    }

    /// What this schema has in another way than `other`, in the order of names.
    /// - Parameter ledgers: The tables of other tools, which are no differences.
    func differences(from other: ServerSnapshot, beside ledgers: [ToolLedger]) -> [(object: Object, change: String)] {
        let all = Set(definitions.keys).union(other.definitions.keys)
        return all.compactMap { object -> (object: Object, change: String)? in
            switch (definitions[object], other.definitions[object]) {
            case (nil, _): (object, "missing")
            case (_, nil):
                isOfOwnPartition(object, beside: other) || isOfTool(object, ledgers) ? nil : (object, "unexpected")
            case (let own?, let expected?):
                own.hasSameBytes(as: expected) ? nil : (object, "different")
            }
        }.sorted {
            (ExactText($0.object.name), ExactText($0.object.type)) < (
                ExactText($1.object.name), ExactText($1.object.type)
            )
        }
    }

    private func isOfTool(_ object: Object, _ ledgers: [ToolLedger]) -> Bool {
        ledgers.contains { ledger in ledger.has(object.name) || owners[object].map { ledger.has($0.text) } ?? false }
    }

    /// Each gives the schema, the object that it belongs to, its type, its name and its definition.
    private static let queries = [
        // Columns, in an order that does not matter.
        """
        SELECT n.nspname, c.relname, 'column'::text, pg_catalog.format('%s.%s', c.relname, a.attname),
            pg_catalog.concat_ws(' ', pg_catalog.format_type(a.atttypid, a.atttypmod),
                CASE WHEN a.attnotnull THEN 'not null' END, a.attidentity::text, a.attgenerated::text,
                pg_catalog.pg_get_expr(d.adbin, d.adrelid, true),
                CASE WHEN a.attcollation OPERATOR(pg_catalog.<>) t.typcollation THEN l.collname::text END)
        FROM pg_catalog.pg_attribute AS a
        JOIN pg_catalog.pg_class AS c ON c.oid OPERATOR(pg_catalog.=) a.attrelid
        JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
        JOIN pg_catalog.pg_type AS t ON t.oid OPERATOR(pg_catalog.=) a.atttypid
        LEFT JOIN pg_catalog.pg_collation AS l ON l.oid OPERATOR(pg_catalog.=) a.attcollation
        LEFT JOIN pg_catalog.pg_attrdef AS d ON d.adrelid OPERATOR(pg_catalog.=) a.attrelid
            AND d.adnum OPERATOR(pg_catalog.=) a.attnum
        WHERE a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped
            AND c.relkind OPERATOR(pg_catalog.=) ANY ('{r,p,f}'::"char"[])
        """,
        """
        SELECT n.nspname, t.relname, 'constraint'::text, pg_catalog.format('%s.%s', t.relname, c.conname),
            pg_catalog.pg_get_constraintdef(c.oid, true)
        FROM pg_catalog.pg_constraint AS c
        JOIN pg_catalog.pg_class AS t ON t.oid OPERATOR(pg_catalog.=) c.conrelid
        JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) t.relnamespace
        """,
        """
        SELECT n.nspname, t.relname, 'index'::text, c.relname::text, pg_catalog.pg_get_indexdef(c.oid, 0, true)
        FROM pg_catalog.pg_index AS i
        JOIN pg_catalog.pg_class AS c ON c.oid OPERATOR(pg_catalog.=) i.indexrelid
        JOIN pg_catalog.pg_class AS t ON t.oid OPERATOR(pg_catalog.=) i.indrelid
        JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) t.relnamespace
        """,
        """
        SELECT n.nspname, c.relname, 'trigger'::text, pg_catalog.format('%s.%s', c.relname, g.tgname),
            pg_catalog.concat_ws(' ', pg_catalog.pg_get_triggerdef(g.oid, true), 'enabled', g.tgenabled::text)
        FROM pg_catalog.pg_trigger AS g
        JOIN pg_catalog.pg_class AS c ON c.oid OPERATOR(pg_catalog.=) g.tgrelid
        JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
        WHERE NOT g.tgisinternal AND g.tgparentid OPERATOR(pg_catalog.=) 0::oid
        """,
        // Who sees and writes which rows.
        """
        SELECT n.nspname, c.relname, 'policy'::text, pg_catalog.format('%s.%s', c.relname, p.polname),
            pg_catalog.concat_ws(' ', p.polcmd::text, p.polpermissive, p.polroles::regrole[]::text,
                pg_catalog.pg_get_expr(p.polqual, p.polrelid), 'check', pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid))
        FROM pg_catalog.pg_policy AS p
        JOIN pg_catalog.pg_class AS c ON c.oid OPERATOR(pg_catalog.=) p.polrelid
        JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
        """,
        // What a statement does instead of what it says; the rule of a view is its definition.
        """
        SELECT n.nspname, c.relname, 'rule'::text, pg_catalog.format('%s.%s', c.relname, r.rulename),
            pg_catalog.concat_ws(' ', pg_catalog.pg_get_ruledef(r.oid, true), r.ev_enabled::text)
        FROM pg_catalog.pg_rewrite AS r
        JOIN pg_catalog.pg_class AS c ON c.oid OPERATOR(pg_catalog.=) r.ev_class
        JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
        WHERE r.rulename::text OPERATOR(pg_catalog.<>) '_RETURN'
        """,
        """
        SELECT n.nspname, c.relname, 'view'::text, c.relname::text,
            pg_catalog.concat_ws(' ', pg_catalog.pg_get_viewdef(c.oid, true), c.relkind::text, c.reloptions::text)
        FROM pg_catalog.pg_class AS c
        JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
        WHERE c.relkind OPERATOR(pg_catalog.=) ANY ('{v,m}'::"char"[])
        """,
        """
        SELECT n.nspname, c.relname, 'table'::text, c.relname::text,
            pg_catalog.concat_ws(' ', c.relkind::text, c.relpersistence::text, c.relrowsecurity, c.relforcerowsecurity,
                c.reloptions::text,
                pg_catalog.pg_get_expr(c.relpartbound, c.oid),
                (SELECT pg_catalog.string_agg(p.relname::text, ',' ORDER BY i.inhseqno) FROM pg_catalog.pg_inherits AS i
                    JOIN pg_catalog.pg_class AS p ON p.oid OPERATOR(pg_catalog.=) i.inhparent
                    WHERE i.inhrelid OPERATOR(pg_catalog.=) c.oid))
        FROM pg_catalog.pg_class AS c
        JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
        WHERE c.relkind OPERATOR(pg_catalog.=) ANY ('{r,p,f}'::"char"[])
        """,
        """
        SELECT n.nspname, c.relname, 'sequence'::text, c.relname::text,
            pg_catalog.concat_ws(' ', pg_catalog.format_type(s.seqtypid, NULL), s.seqstart, s.seqincrement, s.seqmin,
                s.seqmax, s.seqcycle)
        FROM pg_catalog.pg_sequence AS s
        JOIN pg_catalog.pg_class AS c ON c.oid OPERATOR(pg_catalog.=) s.seqrelid
        JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
        """,
        """
        SELECT n.nspname, p.proname, 'function'::text, p.oid::pg_catalog.regprocedure::text,
            pg_catalog.concat_ws(' ', pg_catalog.pg_get_function_result(p.oid), p.prosrc, p.provolatile::text, p.prosecdef,
                l.lanname::text, p.proconfig::text)
        FROM pg_catalog.pg_proc AS p
        JOIN pg_catalog.pg_language AS l ON l.oid OPERATOR(pg_catalog.=) p.prolang
        JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) p.pronamespace
        WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_depend AS d
            WHERE d.objid OPERATOR(pg_catalog.=) p.oid AND d.deptype OPERATOR(pg_catalog.=) 'e')
        """,
        """
        SELECT n.nspname, t.typname, 'type'::text, t.typname::text,
            pg_catalog.concat_ws(' ',
                (SELECT pg_catalog.string_agg(e.enumlabel::text, ',' ORDER BY e.enumsortorder) FROM pg_catalog.pg_enum AS e
                    WHERE e.enumtypid OPERATOR(pg_catalog.=) t.oid),
                CASE WHEN t.typtype OPERATOR(pg_catalog.=) 'd'
                    THEN pg_catalog.format_type(t.typbasetype, t.typtypmod) END,
                CASE WHEN t.typnotnull THEN 'not null' END, t.typdefault,
                (SELECT pg_catalog.string_agg(pg_catalog.pg_get_constraintdef(c.oid, true), ' ' ORDER BY c.conname)
                    FROM pg_catalog.pg_constraint AS c WHERE c.contypid OPERATOR(pg_catalog.=) t.oid))
        FROM pg_catalog.pg_type AS t
        JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) t.typnamespace
        WHERE t.typtype OPERATOR(pg_catalog.=) ANY ('{e,d}'::"char"[])
        """,
        """
        SELECT n.nspname, c.relname, 'type'::text, c.relname::text,
            pg_catalog.string_agg(pg_catalog.format('%s %s', a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod)), ','
                ORDER BY a.attnum)
        FROM pg_catalog.pg_class AS c
        JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
        JOIN pg_catalog.pg_attribute AS a ON a.attrelid OPERATOR(pg_catalog.=) c.oid
            AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped
        WHERE c.relkind OPERATOR(pg_catalog.=) 'c' GROUP BY n.nspname, c.relname
        """,
    ]
}
