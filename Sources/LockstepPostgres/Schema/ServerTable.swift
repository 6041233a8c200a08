internal import Lockstep

/// A table of a server, as its catalogue describes it.
struct ServerTable: Sendable, Equatable {
    /// The number by which results name it.
    let oid: UInt32
    let schema: String
    /// Names and key in the form that is shared with files.
    let shape: SealedTable
    /// The details of the columns, in the order of the shape's.
    let details: [Detail]

    struct Detail: Sendable, Equatable {
        /// The number by which results name the column.
        let number: Int
        /// The number of its type.
        let type: UInt32
        /// Whether the server refuses values for it, unless the statement overrides that.
        let isAlwaysIdentity: Bool
        /// The sequence that gives it its values.
        let sequence: String?
    }

    /// The name of the table as statements have it.
    var quotedName: String { "\(SQLTokens.quote(schema)).\(SQLTokens.quote(shape.name))" }

    func detail(_ name: String) -> Detail? {
        zip(shape.columns, details).first { SQLName($0.0.name) == SQLName(name) }?.1
    }

    /// The table of this name, in any case, in a schema; nil if there is none.
    /// - Throws: `LockstepError.Code.foreignSchema` for two tables or columns whose names differ in their case alone.
    init?(
        _ name: String, in schema: String, _ connection: borrowing ServerConnection
    ) throws {
        let found = try connection.query(
            """
            SELECT c.oid::int8, c.relname::text FROM pg_catalog.pg_class AS c
            JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
            WHERE n.nspname OPERATOR(pg_catalog.=) \(schema)::name AND c.relkind OPERATOR(pg_catalog.=) ANY ('{r,p}'::"char"[])
                AND pg_catalog.lower(c.relname::text COLLATE "C") OPERATOR(pg_catalog.=) \(name.asciiLowercased)
            """
        ) { (oid: try $0[0] as UInt32, name: try $0[1] as String) }
        guard let table = found.first else { return nil }
        guard found.count == 1 else {
            throw LockstepError(
                .foreignSchema, "the schema \(schema) has two tables named \(name)",
                hint: "rename one: names of sealed columns do not differ by case alone", context: .init(table: name))
        }
        try self.init(table.oid, table.name, in: schema, connection)
    }

    private init(
        _ oid: UInt32, _ name: String, in schema: String,
        _ connection: borrowing ServerConnection
    ) throws {
        let found = try Self.columns(oid, connection)
        let columns = found.map(\.column)
        let key = Self.key(found)
        shape = try SealedTable(name: name, columns: columns, key: key, hasRowID: false, isStrict: true, sql: "")
        (self.oid, self.schema, details) = (oid, schema, found.map(\.detail))
    }

    private static func columns(
        _ oid: UInt32, _ connection: borrowing ServerConnection
    ) throws -> [(column: SealedTable.Column, detail: Detail)] {
        try connection.query(
            """
            SELECT a.attname::text, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull,
                pg_catalog.pg_get_expr(d.adbin, d.adrelid),
                pg_catalog.array_position(i.indkey::pg_catalog.int2[], a.attnum),
                a.attgenerated OPERATOR(pg_catalog.<>) '', a.attnum, a.atttypid::int8,
                a.attidentity OPERATOR(pg_catalog.=) 'a',
                pg_catalog.pg_get_serial_sequence(
                    pg_catalog.format('%I.%I', n.nspname, c.relname),
                    a.attname::text)
            FROM pg_catalog.pg_attribute AS a
            JOIN pg_catalog.pg_class AS c ON c.oid OPERATOR(pg_catalog.=) a.attrelid
            JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
            LEFT JOIN pg_catalog.pg_attrdef AS d ON d.adrelid OPERATOR(pg_catalog.=) a.attrelid
                AND d.adnum OPERATOR(pg_catalog.=) a.attnum
            LEFT JOIN pg_catalog.pg_index AS i ON i.indrelid OPERATOR(pg_catalog.=) a.attrelid
                AND i.indisprimary
            WHERE a.attrelid OPERATOR(pg_catalog.=) \(Int64(oid))::oid
                AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped
            ORDER BY a.attnum
            """
        ) { row in
            (
                SealedTable.Column(
                    name: try row[0], type: try row[1], isNotNull: try row[2],
                    defaultSQL: try row[3],
                    keyPosition: (try row[4] as ServerCount?).map { $0.value + 1 } ?? 0,
                    isGenerated: try row[5]),
                Detail(
                    number: (try row[6] as ServerCount).value, type: try row[7],
                    isAlwaysIdentity: try row[8], sequence: try row[9])
            )
        }
    }

    /// Whether rows that come by COPY are stored as those of an INSERT are, and under the keys that are sent: it knows
    /// no rules, refuses row-level security, and does not say what a trigger has made of a row.
    func takesCopies(_ connection: borrowing ServerConnection) throws -> Bool {
        try connection.value(
            """
            SELECT NOT relhasrules AND NOT pg_catalog.row_security_active(oid)
                AND NOT EXISTS (SELECT FROM pg_catalog.pg_trigger AS g
                    WHERE g.tgrelid OPERATOR(pg_catalog.=) pg_class.oid AND NOT g.tgisinternal
                        AND g.tgenabled OPERATOR(pg_catalog.<>) 'D'
                        AND (g.tgtype::int4 OPERATOR(pg_catalog.&) 7) OPERATOR(pg_catalog.=) 7)
            FROM pg_catalog.pg_class
            WHERE oid OPERATOR(pg_catalog.=) \(Int64(oid))::oid
            """) ?? false
    }

    /// The key that cells are bound to: none if one of its columns has a type whose values have several forms.
    private static func key(
        _ columns: [(column: SealedTable.Column, detail: Detail)]
    ) -> SealedTable.Key {
        let parts = columns.filter { $0.column.keyPosition > 0 }
            .sorted { $0.column.keyPosition < $1.column.keyPosition }
        guard !parts.isEmpty, parts.allSatisfy({ ServerType.isOfKeys($0.detail.type) }) else {
            return .none
        }
        if parts.count == 1, ServerType.isInteger(parts[0].detail.type) {
            return .row(parts[0].column)
        }
        return .columns(parts.map(\.column))
    }
}
