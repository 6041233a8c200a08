internal import Lockstep

/// The publishers' manifests on a server: the table that ManifestTable.swift describes.
struct ServerManifests {
    let schema: String

    private static let table = StoredTable(
        "lockstep_manifest", [.init("dataset", .bytes), .init("text", .text)], key: ["dataset"]
    ) { what in
        LockstepError(
            .tampered, "the server's table of manifests contains \(what)", hint: "restore the database from a backup")
    }

    /// The manifests as they are stored, by dataset; nothing proves them.
    func texts(
        _ connection: borrowing ServerConnection
    ) throws -> [(dataset: [UInt8], text: [UInt8])] { try texts(of: nil, connection) }

    /// That of one dataset; nil if there is none.
    func text(of dataset: [UInt8], _ connection: borrowing ServerConnection) throws -> [UInt8]? {
        try texts(of: dataset, connection).first?.text
    }

    private func texts(
        of dataset: [UInt8]?, _ connection: borrowing ServerConnection
    ) throws -> [(dataset: [UInt8], text: [UInt8])] {
        let rows = try ServerTables(schema, connection).rows(of: Self.table, with: dataset.map(Value.blob))
        return try rows?.map { row in (try row[0], Array((try row[1] as String).utf8)) } ?? []
    }

    /// Stores manifests, in the open transaction.
    func write(
        _ manifests: [(dataset: [UInt8], text: [UInt8])],
        _ connection: borrowing ServerConnection
    ) throws {
        guard !manifests.isEmpty else { return }
        let store = ServerTables(schema, connection)
        try store.make(Self.table)
        for (dataset, text) in manifests {
            try store.insert([.blob(dataset), .text(String(decoding: text, as: UTF8.self))], into: Self.table)
        }
    }
}
