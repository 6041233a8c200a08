public import Lockstep
public import SystemPackage

/// The catalogue of films. Works on every version of the set `movies`.
public struct MovieStore: ModelStore {
    /// The migration set's name.
    public static let setName = "movies"

    private static let columns: SQL =
        "movieID, title, category, year, movieURL, coverURL, watched, likes"

    /// The database that it works on.
    public let store: Store

    /// The catalogue in `store`.
    public init(_ store: Store) { self.store = store }

    // MARK: Import

    /// Takes the films of a tab-separated file: title, category, year, address, cover's address; lines
    /// end in LF or CRLF.
    ///
    /// All of them in one transaction. A line that is no film is left out and reported with its number;
    /// the others are imported. If reading or writing fails, nothing is.
    /// - Throws: ``LockstepError``; a path that does not exist, a full disk, a database without the set.
    public func importTSV(_ path: FilePath) throws -> ImportReport {
        var reader = try LineReader(path)
        return try store.write { connection in
            let insert = try Self.located { try connection.prepare(Self.insertion) }
            var report = ImportReport()
            var number = 0
            while let line = try reader.next() {
                number += 1
                guard case .bytes(let bytes) = line else {
                    report.reject(number, "it is longer than 16 MiB")
                    continue
                }
                do {
                    try Self.run(insert, try MovieLine.parse(bytes))
                    report.imported += 1
                } catch let problem as MovieLine.Problem {
                    report.reject(number, problem.reason)
                }
            }
            return report
        }
    }

    // MARK: Films

    /// Inserts a film and gives its key.
    @discardableResult
    public func insert(_ movie: Movie) throws -> Int64 {
        try store.write { connection in
            let insert = try Self.located { try connection.prepare(Self.insertion) }
            try Self.run(insert, movie)
            return connection.lastInsertedRowID
        }
    }

    /// All films, oldest first, those of a year by title.
    public func allByYear() throws -> [Movie] {
        try store.read { connection in
            try connection.query("SELECT \(Self.columns) FROM movies ORDER BY year, title") { row in
                try Movie(row: row)
            }
        }
    }

    /// The film of this key, or nil.
    public func movie(_ id: Int64) throws -> Movie? {
        try store.read { connection in
            try connection.first("SELECT \(Self.columns) FROM movies WHERE movieID = \(id)") {
                row in
                try Movie(row: row)
            }
        }
    }

    // MARK: Export

    /// Hands out all films, as ``importTSV(_:)`` reads them, and gives how many: a TAB or a line's end within a field
    /// becomes a blank, since the format has no way to write it.
    public func exportTSV(_ write: ([UInt8]) throws -> Void) throws -> Int {
        try store.read { connection in
            let films = try connection.prepare(
                "SELECT \(Self.columns) FROM movies ORDER BY movieID")
            var count = 0
            try films.forEach { row in
                try write(MovieLine.bytes(of: Movie(row: row)))
                count += 1
            }
            return count
        }
    }

    /// How many films there are.
    public func count() throws -> Int {
        try store.read { connection in
            try connection.value("SELECT count(*) FROM movies") ?? 0
        }
    }

    private static let insertion: SQL = """
        INSERT INTO movies (title, category, year, movieURL, coverURL, watched, likes)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """

    private static func run(_ insert: borrowing Statement, _ movie: Movie) throws {
        try insert.run(
            movie.title, movie.category, movie.year, movie.movieURL, movie.coverURL,
            movie.isWatched, movie.likes)
    }

    /// The table is missing where the set was never migrated.
    private static func located(_ prepare: () throws -> Statement) throws -> Statement {
        do {
            return try prepare()
        } catch let error as LockstepError where error.code == .sqlFailed {
            throw error.located(
                "the catalogue cannot be written",
                hint: "run `lockstep migrate` with the set \(setName) first")
        }
    }
}
