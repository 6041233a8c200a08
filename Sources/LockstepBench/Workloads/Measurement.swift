import Lockstep

/// The result of one run of Lockstep.
struct Measurement {
    var clock = ProcessClock()
    var hash = RowHash()
    var operations = 0
    var settings = Outcome.Settings(pageSize: 0, cacheBytes: 0, journal: "", synchronous: "")
    var library = ""
}

extension Measurement {
    /// Reads settings and versions back from the connection that does the work.
    mutating func look(at db: borrowing Connection) throws {
        settings = try Outcome.Settings(db)
        let version = try db.value("SELECT sqlite_version()", as: String.self) ?? ""
        library =
            "SQLCipher \(try Connection.libraryVersion()), SQLite \(version), "
            + CryptoLibrary.name
    }
}

extension Outcome.Settings {
    init(_ db: borrowing Connection) throws {
        // SQLCipher returns this one itself, as a text.
        let page = Int(try db.value("PRAGMA page_size", as: String.self) ?? "") ?? 0
        let cache = try db.value("PRAGMA cache_size", as: Int.self) ?? 0
        let synchronous = try db.value("PRAGMA synchronous", as: Int.self)
        self.init(
            pageSize: page, cacheBytes: cache < 0 ? -cache * 1024 : cache * page,
            journal: try db.value("PRAGMA journal_mode", as: String.self) ?? "",
            synchronous: synchronous == 1 ? "normal" : synchronous == 2 ? "full" : "other")
    }
}
