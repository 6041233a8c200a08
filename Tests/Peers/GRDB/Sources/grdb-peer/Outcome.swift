import Foundation
import GRDB

/// The outcome of one run: the line of JSON.
struct Outcome: Encodable {
    /// What the pragmas say.
    struct Settings: Encodable {
        var pageSize: Int64 = 0
        var cacheBytes: Int64 = 0
        var journal = ""
        var synchronous = ""
        /// SQLite's version; reported elsewhere.
        var version = ""

        enum CodingKeys: CodingKey {
            case pageSize, cacheBytes, journal, synchronous
        }

        init() {}

        /// Read back on the connection that does the work.
        init(_ db: Database) throws {
            pageSize = try Int64.fetchOne(db, sql: "PRAGMA page_size") ?? 0
            let cache = try Int64.fetchOne(db, sql: "PRAGMA cache_size") ?? 0
            cacheBytes = cache < 0 ? -cache * 1024 : cache * pageSize
            version = try String.fetchOne(db, sql: "SELECT sqlite_version()") ?? ""
            journal = try String.fetchOne(db, sql: "PRAGMA journal_mode") ?? ""
            synchronous =
                switch try Int64.fetchOne(db, sql: "PRAGMA synchronous") {
                case 1: "normal"
                case 2: "full"
                default: "other"
                }
        }
    }

    var peer = "grdb"
    var workload: String
    var variant: String
    var operations: Int64 = 0
    var cpuNanoseconds: Int64 = 0
    var wallNanoseconds: Int64 = 0
    var checksum = ""
    var peakKiB: Int64 = 0
    var bytesWritten: Int64?
    var syncs: Int64?
    var library = ""
    var settings = Settings() {
        didSet { library = "GRDB 7.10.0, SQLite \(settings.version)" }
    }

    init(_ options: Options) {
        workload = options.workload
        variant = options.variant ?? "default"
    }

    mutating func take(_ clock: Clock, _ hash: RowHash) {
        cpuNanoseconds = clock.cpuNanoseconds
        wallNanoseconds = clock.wallNanoseconds
        bytesWritten = clock.bytesWritten
        syncs = clock.syncs
        checksum = hash.hex
    }

    func json() throws -> String {
        String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
    }
}
