import Lockstep
import SystemPackage

/// One sealed blob that is written, read, sealed under a new key and verified.
enum SealedWork {
    static func run(_ folder: FilePath, bytes: Int) async throws {
        let path = folder.appending("data.db")
        let ring = try Keyring.create(.database)
        var fields = try Keyring.create(.fields)
        let place = BlobPlace(table: "photo", column: "data", row: 1)
        do {
            let connection = try open(path, ring, fields, creating: true)
            try connection.run(
                script:
                    "CREATE TABLE photo (id INTEGER PRIMARY KEY, data); INSERT INTO photo VALUES (1, NULL)"
            )
            try connection.protect("data", of: "photo", keys: fields.fieldKeys())
            let written = try await Memory.growth {
                var chunks = Chunks(total: bytes)
                try connection.writeSealedBlob(place, count: bytes) { chunks.following() }
            }
            print(written)
        }
        do {
            let connection = try open(path, ring, fields)
            print(try await Memory.growth { try check(connection, place, bytes) })
        }
        try fields.activateKey(.field, version: fields.createKey(.field))
        do {
            let connection = try open(path, ring, fields)
            let keys = try fields.fieldKeys()
            print(
                try await Memory.growth {
                    try connection.reseal("data", of: "photo", keys: keys)
                })
            try check(connection, place, bytes)
        }
        var verification = Verification(path, sets: [])
        verification.fieldKeys = [try fields.fieldKeys()]
        verification.cacheBytes = 4 << 20
        let key = try ring.activeDatabaseKey()
        print(
            try await Memory.growth {
                let report = try await JobThread.run { try verification.run(key: key) }
                guard let cells = report.outcomes.first(where: { $0.check == .cells }),
                    !cells.hasFailed, cells.summary.hasPrefix("1 cell ")
                else { throw Memory.Failed() }
            })
    }

    private static func open(
        _ path: FilePath, _ ring: borrowing Keyring, _ fields: borrowing Keyring, creating: Bool = false
    ) throws -> Connection {
        var options = ConnectionOptions()
        options.fieldKeys = [try fields.fieldKeys()]
        return creating
            ? try Connection.create(path, key: ring.activeDatabaseKey(), options: options)
            : try Connection.open(path, key: ring.activeDatabaseKey(), options: options)
    }

    private static func check(
        _ connection: borrowing Connection, _ place: BlobPlace, _ bytes: Int
    ) throws {
        try connection.withSealedBlob(place) { blob in
            var offset = 0
            try blob.forEachChunk { chunk in
                guard chunk == Chunks.chunk(at: offset, chunk.count) else { throw Memory.Failed() }
                offset += chunk.count
            }
            guard offset == bytes else { throw Memory.Failed() }
        }
    }
}
