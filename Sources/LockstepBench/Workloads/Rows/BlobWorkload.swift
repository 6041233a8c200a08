import Lockstep

/// A large blob, written and read in chunks.
enum BlobWorkload: Workload {
    static let name = "blob"
    static let variants = ["incremental"]

    static func operations(_ sizes: Sizes, _ variant: String) -> Int {
        sizes.operations(quick: 128, full: 1024)
    }

    /// The chunks in their order.
    static func expected(_ sizes: Sizes, _ variant: String) -> String {
        RowHash.ofChunks(Rows.chunks(), operations(sizes, variant)).hex
    }

    private static let place = BlobPlace(table: "large", column: "bytes", row: 1)

    static func run(_ database: BenchDatabase) throws -> Measurement {
        let chunks = Rows.chunks()
        let count = database.request.operations
        let store = try database.create()
        var measurement = Measurement()
        try store.blocking.write { db in try measurement.look(at: db) }
        measurement.operations = count
        try makeTable(store)
        measurement.clock.start()
        try write(chunks, count, to: store)
        try read(store) { _ in }
        measurement.clock.stop()
        var hash = RowHash()
        try read(store) { chunk in hash.add(chunk) }
        measurement.hash = hash
        return measurement
    }

    private static func makeTable(_ store: Store) throws {
        try store.blocking.write { db in
            try db.execute("CREATE TABLE large (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL)")
        }
    }

    private static func write(_ chunks: [[UInt8]], _ count: Int, to store: Store) throws {
        try store.blocking.write { db in
            try db.execute(
                "INSERT INTO large VALUES (1, ?)", ZeroBytes(count * Rows.chunkBytes))
            try db.withBlob(place, .write) { blob in
                for index in 0..<count {
                    try blob.write(chunks[index % chunks.count], at: index * Rows.chunkBytes)
                }
            }
        }
    }

    private static func read(_ store: Store, _ use: ([UInt8]) -> Void) throws {
        try store.blocking.read { db in
            try db.withBlob(place) { blob in
                try blob.forEachChunk(of: Rows.chunkBytes) { chunk in use(chunk) }
            }
        }
    }
}
