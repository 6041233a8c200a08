internal import Lockstep

/// The publishers' manifests on a server: the table that ManifestTable.swift describes.
struct ServerManifests {
    let schema: String

    static let table = "lockstep_manifest"

    private var name: String { "\(SQLTokens.quote(schema)).\(Self.table)" }

    /// The manifests as they are stored, by dataset; nothing proves them.
    func texts(
        _ connection: borrowing ServerConnection
    ) throws -> [(dataset: [UInt8], text: [UInt8])] {
        guard try EngineTable.kind(Self.table, in: schema, connection) == .table else {
            return []
        }
        return try connection.query(
            "SELECT dataset, pg_catalog.convert_to(text, 'UTF8') FROM \(verbatim: name) ORDER BY dataset"
        ) { (try $0[0], try $0[1]) }
    }

    /// Stores manifests, in the open transaction.
    func write(
        _ manifests: [(dataset: [UInt8], text: [UInt8])],
        _ connection: borrowing ServerConnection
    ) throws {
        guard !manifests.isEmpty else { return }
        try connection.execute(
            "CREATE TABLE IF NOT EXISTS \(verbatim: name) (dataset bytea PRIMARY KEY, text text NOT NULL)")
        for (dataset, text) in manifests {
            try connection.execute(
                "INSERT INTO \(verbatim: name) VALUES (\(dataset), pg_catalog.convert_from(\(text), 'UTF8'))")
        }
    }
}
