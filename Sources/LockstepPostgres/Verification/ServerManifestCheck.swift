internal import Lockstep

/// The rows that a manifest covers are what its publisher has released, on this engine as on the other: their values
/// are digested as a file would store them. The definitions of a file's schema are not compared.
struct ServerManifestCheck {
    let publisher: Publisher?

    func run(
        _ schema: String, _ connection: borrowing ServerConnection
    ) throws -> ServerVerification.CheckResult {
        let texts = try ServerManifests(schema: schema).texts(connection)
        guard !texts.isEmpty else {
            return publisher == nil
                ? ("no manifest", [])
                : ("no manifest", [.failure("the database has no manifest")])
        }
        guard let publisher else {
            return (
                "not checked against a publisher's key",
                [.notice("the database has a manifest, which proves nothing without its publisher's key")]
            )
        }
        var findings: [VerificationReport.Finding] = []
        var releases: [String] = []
        for (dataset, text) in texts {
            let manifest: Manifest
            do {
                manifest = try ManifestParser.parse(text)
            } catch {
                findings.append(.failure(error.message))
                continue
            }
            guard manifest.publisher == publisher, manifest.dataset == dataset, try manifest.isSigned() else {
                findings.append(.failure("the manifest is not signed by the publisher"))
                continue
            }
            releases.append("release \(manifest.number) of \(manifest.day), \(counted(manifest.tables.count, "table"))")
            findings += try findingsOfRegistry(manifest, schema, connection)
            for table in manifest.tables {
                do {
                    findings += try Self.findings(table, schema, connection)
                } catch let obstacle as TypeCrossing.Obstacle {
                    findings.append(
                        .failure("\(table.name) has \(obstacle.what), which was not released"))
                }
            }
        }
        return (releases.isEmpty ? "no release" : releases.joined(separator: "; "), findings)
    }

    private func findingsOfRegistry(
        _ manifest: Manifest, _ schema: String, _ connection: borrowing ServerConnection
    ) throws -> [VerificationReport.Finding] {
        let records = try ServerRegistry(schema: schema).records(
            of: manifest.dataset, connection)
        guard let set = records?.dataset else {
            return [.failure("the registry of sealed columns is missing")]
        }
        let isSame = UInt64(clamping: set.changes) == manifest.registryChanges && set.mac == manifest.registryCode
        return isSame
            ? [] : [.failure("the registry of sealed columns is not the released one")]
    }

    private static func findings(
        _ released: Manifest.Table, _ schema: String, _ connection: borrowing ServerConnection
    ) throws -> [VerificationReport.Finding] {
        guard let table = try ServerTable(released.name, in: schema, connection) else {
            return [.failure("the table \(released.name) is missing")]
        }
        let sealed = released.key + released.columnNames
        let names = sealed + (released.rows.wholeDigest == nil ? [] : released.otherNames)
        var columns: [(name: String, crossing: TypeCrossing, type: UInt32)] = []
        for name in names {
            guard let own = table.shape.column(name), let detail = table.detail(name),
                let crossing = TypeCrossing(detail.type)
            else {
                return [.failure("\(released.name) does not have the released column \(name)")]
            }
            columns.append((own.name, crossing, detail.type))
        }
        let list = columns.map { SQLTokens.quote($0.name) }
        let order = columns.prefix(released.key.count).map { column in
            let isText = [ServerType.text, ServerType.varchar].contains(column.type)
            return "\(SQLTokens.quote(column.name))\(isText ? " COLLATE \"C\"" : "")"
        }
        let sql =
            "SELECT \(list.joined(separator: ", ")) FROM \(table.quotedName)"
            + (order.isEmpty ? "" : " ORDER BY \(order.joined(separator: ", "))")
        var first = try StoredValueDigest(isOfSet: order.isEmpty)
        var whole = try StoredValueDigest(isOfSet: order.isEmpty)
        var count: UInt64 = 0
        var reader = BinaryReader()
        try connection.copyOut(ServerSQL(verbatim: "COPY (\(sql)) TO STDOUT (FORMAT binary)")) {
            piece in
            try reader.take(piece) { bytes, places in
                guard places.count == columns.count else { throw BinaryReader.malformed }
                for (number, place) in places.enumerated() {
                    let value = try place.map { try columns[number].crossing.value(bytes[$0]) } ?? .null
                    if number < sealed.count { try first.add(value) }
                    try whole.add(value)
                }
                try first.endRow()
                try whole.endRow()
                count += 1
            }
        }
        try reader.requireEnd()
        let (digest, wholeDigest) = (try first.finish(), try whole.finish())
        if count != released.rows.count {
            return [
                .failure(
                    "\(released.name) has \(count) rows, and \(released.rows.count) were released"
                )
            ]
        }
        if digest != released.rows.digest {
            return [.failure("rows of \(released.name) are not the released ones")]
        }
        guard let expected = released.rows.wholeDigest, expected != wholeDigest else {
            return []
        }
        return [.failure("values of \(released.name) that are not sealed are not the released ones")]
    }
}
