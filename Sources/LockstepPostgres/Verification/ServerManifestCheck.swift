internal import Lockstep

/// The rows that a manifest covers are what its publisher has released, on this engine as on the other: their values
/// are digested as a file would store them. The definitions of a file's schema are not compared.
enum ServerManifestCheck {
    static func run(
        _ publisher: Publisher?, _ schema: String, _ connection: borrowing ServerConnection,
        _ progress: JobProgress.Handler
    ) throws -> CheckResult {
        let database = ReleasedSchema(schema, connection)
        guard try publisher != nil || !ServerManifests(schema: schema).texts(connection).isEmpty else {
            return ("no manifest", [])
        }
        return try ManifestCheck.run(publisher, nil, database, progress)
    }
}

/// A schema of a server, as a manifest is compared with it.
private struct ReleasedSchema: ReleasedDatabase, ~Copyable {
    private let schema: String
    private let connection: ServerConnection

    init(_ schema: String, _ connection: borrowing ServerConnection) {
        self.schema = schema
        self.connection = ServerConnection(connection.session)
    }

    func namedDatasets() throws -> [[UInt8]] {
        let named = try ServerManifests(schema: schema).texts(connection).map(\.dataset)
        let sealed = try ServerRegistry(schema: schema).marks(connection).map(\.dataset)
        return Set(named + sealed).sorted { $0.lexicographicallyPrecedes($1) }
    }

    func manifestText(of dataset: [UInt8]) throws -> [UInt8]? {
        try ServerManifests(schema: schema).text(of: dataset, connection)
    }

    func registryMark(of dataset: [UInt8]) throws -> RegistryMark? {
        try ServerRegistry(schema: schema).marks(connection, of: dataset).first.flatMap { mark in
            UInt64(exactly: mark.changes).map { RegistryMark(changes: $0, code: mark.mac) }
        }
    }

    func registryRecords(of dataset: [UInt8]) throws -> RegistryRecords? {
        try ServerRegistry(schema: schema).records(of: dataset, connection)
    }

    func definitions() -> [ManifestDefinition]? { nil }

    func rows(
        of released: Manifest.Table, isWhole: Bool, _ progress: JobProgress.Handler
    ) throws -> ReleasedRows {
        guard let table = try ServerTable(released.name, in: schema, connection) else { return .missing }
        guard let columns = Columns(of: released, in: table, isWhole: isWhole) else { return .other }
        return .found(
            try columns.rows(connection) { count in
                try JobProgress(VerificationReport.Check.manifest.phase, count, .rows).report(to: progress)
            })
    }
}

/// The columns of a released table, in the order of its digest.
private struct Columns {
    private let names: [String]
    private let crossings: [TypeCrossing]
    /// How many of them are of the key or sealed.
    private let width: Int
    private let isWhole: Bool
    private let isSet: Bool
    private let selection: String

    /// Nil if the table does not have the key and columns of the release, or a type that a file does not have.
    init?(of released: Manifest.Table, in table: ServerTable, isWhole: Bool) {
        let own = table.shape.columns
        let key = own.filter { $0.keyPosition > 0 }.sorted { $0.keyPosition < $1.keyPosition }.map(\.name)
        let sealed = released.key + released.columnNames
        let names = sealed + (isWhole ? released.otherNames : [])
        // A file need not store what is generated.
        let stored = own.map { ($0, SQLName($0.name)) }.filter { column, name in
            !column.isGenerated || names.contains { SQLName($0) == name }
        }.map(\.1)
        // A key that can be NULL is none in a file.
        guard released.hasColumns(key: released.key.isEmpty ? [] : key, table.shape, stored: isWhole ? stored : nil)
        else { return nil }
        let found = names.compactMap { name in
            table.detail(name).flatMap { TypeCrossing($0.type) }
        }
        guard found.count == names.count else { return nil }
        (self.names, crossings, width) = (names, found, sealed.count)
        (self.isWhole, isSet) = (isWhole, released.key.isEmpty)
        let list = names.map { SQLTokens.quote(table.shape.column($0)?.name ?? $0) }
        let order = zip(released.key, list).map { ServerType.ordered($1, table.detail($0)?.type) }
        selection =
            "SELECT \(list.joined(separator: ", ")) FROM \(table.quotedName)"
            + (order.isEmpty ? "" : " ORDER BY \(order.joined(separator: ", "))")
    }

    /// Reads all rows.
    /// - Parameter report: Called with the number of rows now and then.
    func rows(
        _ connection: borrowing ServerConnection, _ report: (Int) throws -> Void
    ) throws -> ManifestRows {
        var sealed = try StoredValueDigest(isOfSet: isSet)
        var whole = try StoredValueDigest(isOfSet: isSet)
        // A value that a file cannot have was not released, whatever the digest says of the others.
        var (hasForeignCell, hasForeign) = (false, false)
        var count: UInt64 = 0
        var reader = BinaryReader()
        try connection.copyOut(ServerSQL(verbatim: "COPY (\(selection)) TO STDOUT (FORMAT binary)")) { piece in
            try reader.take(piece) { bytes, places in
                guard places.count == names.count else { throw BinaryReader.malformed }
                for (number, place) in places.enumerated() {
                    var value = Value.null
                    do {
                        value = try place.map { try crossings[number].value(bytes[$0]) } ?? .null
                    } catch is TypeCrossing.Obstacle {
                        hasForeign = true
                        if number < width { hasForeignCell = true }
                    }
                    if number < width { try sealed.add(value) }
                    try whole.add(value)
                }
                try sealed.endRow()
                try whole.endRow()
                count += 1
                if count.isMultiple(of: 1024) { try report(Int(clamping: count)) }
            }
        }
        try reader.requireEnd()
        let (digest, wholeDigest) = (try sealed.finish(), try whole.finish())
        return ManifestRows(
            count: count, digest: hasForeignCell ? [] : digest,
            wholeDigest: isWhole ? (hasForeign ? [] : wholeDigest) : nil)
    }
}
