internal import Lockstep

/// The places of sealed columns in the server's catalogue, which keep their numbers when a version renames them. The
/// registry follows what the script says, and nothing else: whatever the catalogue shows that no statement of the script
/// has done, as an event trigger of the operator's can do it, is signed by nobody.
struct ServerSealedNames {
    private struct Place {
        let dataset: [UInt8]
        let column: SealedColumn
        let origin: ResultOrigin
        /// The numbers of the primary key's columns, in the key's order.
        let key: [Int]
        let keyNames: [String]
    }

    private let schema: String
    private let said: SaidNames
    private let places: [Place]

    /// Looks up what the registries name, before a version's statements run.
    /// - Parameter statements: The statements that are to run.
    init(_ schema: String, _ statements: [ServerScript.Statement], _ connection: borrowing ServerConnection) throws {
        self.schema = schema
        said = SaidNames(statements.map(\.sql), in: schema)
        var places: [Place] = []
        for (dataset, column) in try Self.claimed(schema, connection) {
            guard let table = try ServerTable(column.table, in: schema, connection),
                let detail = table.detail(column.name)
            else { continue }
            places.append(
                Place(
                    dataset: dataset, column: column, origin: ResultOrigin(table: table.oid, column: detail.number),
                    key: Self.key(of: table), keyNames: table.shape.key.columns.map(\.name)))
        }
        self.places = places
    }

    /// The columns that have names.
    private static func claimed(
        _ schema: String, _ connection: borrowing ServerConnection
    ) throws -> [(dataset: [UInt8], column: SealedColumn)] {
        try ServerRegistry(schema: schema).claimed(connection).filter { !$0.column.name.isEmpty }
    }

    private static func key(of table: ServerTable) -> [Int] {
        table.shape.key.columns.compactMap { table.detail($0.name)?.number }
    }

    /// Gives the registries the names that the columns have now, in the open transaction.
    /// - Throws: `LockstepError.Code.tampered` for a name that no statement has given;
    ///   `LockstepError.Code.keyUnavailable` if that takes keys that were not given;
    ///   `LockstepError.Code.misuse` for a column that cannot hold its cells, or be found by its tokens, any more.
    func follow(_ connection: borrowing ServerConnection) throws {
        guard !places.isEmpty else { return }
        // Directives of the same version have sealed or unsealed others meanwhile.
        let claimed = try Self.claimed(schema, connection)
        var isChanged = false
        for place in places
        where claimed.contains(where: {
            $0.dataset == place.dataset && $0.column.id == place.column.id
        }) {
            isChanged = try follow(place, connection) || isChanged
        }
        if isChanged { try connection.fields?.adopt(connection) }
    }

    /// - Returns: Whether the registry has changed.
    private func follow(
        _ place: Place, _ connection: borrowing ServerConnection
    ) throws -> Bool {
        let wanted = said.name(of: place.column.name, in: place.column.table)
        guard let now = try name(of: place.origin, connection) else {
            guard wanted == nil else { throw unsaid(place, "is gone") }
            return try change(place, connection) { registry in
                try registry.rename(place.column.id, to: "", of: "")
            }
        }
        guard let table = try ServerTable(now.table, in: schema, connection),
            table.oid == place.origin.table, let detail = table.detail(now.column)
        else {
            throw refused(place, "moves \(place.column.table) to another schema")
        }
        guard detail.type == ServerType.bytea else {
            throw refused(place, "gives \(place.column.title) another type")
        }
        if let index = place.column.indexes.first(where: {
            table.shape.column($0.name) == nil
        }) {
            throw refused(place, "renames or drops \(index.name), which holds its tokens")
        }
        let isSaid = wanted.map { SQLName($0.table) == SQLName(now.table) && SQLName($0.column) == SQLName(now.column) }
        guard isSaid == true else { throw unsaid(place, "has another name") }
        let isBound = place.column.mode.bindsToRow
        guard !isBound || Self.key(of: table) == place.key else {
            throw refused(place, "changes the primary key that its cells are sealed to")
        }
        let key = place.keyNames.map { said.name(of: $0, in: place.column.table)?.column }
        guard
            !isBound
                || zip(key, table.shape.key.columns).allSatisfy({ said, now in
                    said.map { SQLName($0) == SQLName(now.name) } == true
                })
        else {
            throw unsaid(place, "has a primary key with another name")
        }
        let rowKey = isBound ? SealedRowKey(table.shape.key) : nil
        let isSame =
            SQLName(now.table) == SQLName(place.column.table) && SQLName(now.column) == SQLName(place.column.name)
            && (!isBound || !place.column.isSealed(toAnotherKeyThan: table.shape.key))
        guard !isSame else { return false }
        return try change(place, connection) { registry in
            try registry.rename(place.column.id, to: now.column, of: now.table)
            try registry.setRowKey(place.column.id, rowKey)
        }
    }

    /// The names of a column; nil if it is gone.
    private func name(
        of origin: ResultOrigin, _ connection: borrowing ServerConnection
    ) throws -> (table: String, column: String)? {
        let found = try connection.query(
            """
            SELECT c.relname::text, a.attname::text FROM pg_catalog.pg_attribute AS a
            JOIN pg_catalog.pg_class AS c ON c.oid OPERATOR(pg_catalog.=) a.attrelid
            WHERE a.attrelid OPERATOR(pg_catalog.=) \(Int64(origin.table))::oid
                AND a.attnum OPERATOR(pg_catalog.=) \(Int64(origin.column))::int2 AND NOT a.attisdropped
            """
        ) { (table: try $0[0] as String, column: try $0[1] as String) }
        return found.first
    }

    private func change(
        _ place: Place, _ connection: borrowing ServerConnection, _ body: (inout ColumnRegistry) throws -> Void
    ) throws -> Bool {
        guard let keys = connection.fields?.keys(of: place.dataset) else {
            throw LockstepError(
                .keyUnavailable, "\(place.column.title) is sealed, and the migration renames or drops it",
                hint:
                    "provide the fields keyring of its dataset, which must authenticate the new name",
                context: place.column.context)
        }
        let table = ServerRegistry(schema: schema)
        guard
            var registry = try table.records(of: place.dataset, connection)?.registry(keys)
        else { return false }
        try body(&registry)
        try table.write(&registry, keys, connection)
        return true
    }

    /// The error for what the catalogue shows and the script does not say.
    private func unsaid(_ place: Place, _ what: String) -> LockstepError {
        LockstepError(
            .tampered, "\(place.column.title) is sealed and \(what), which no statement of the migration says",
            hint:
                "write ALTER TABLE … RENAME or DROP as statements of their own; if they are, something on the server did it, such as an event trigger",
            context: place.column.context)
    }

    private func refused(_ place: Place, _ what: String) -> LockstepError {
        LockstepError(
            .misuse, "the migration \(what), and \(place.column.title) is sealed",
            hint:
                "give up its sealing first, with `-- lockstep: unprotect` while the table is empty",
            context: place.column.context)
    }
}
