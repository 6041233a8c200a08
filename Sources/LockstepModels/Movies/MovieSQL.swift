internal import Lockstep

/// The queries of ``MovieStore``, for its blocking and asynchronous calls. From version 3 of the schema on they use the
/// readable view, which seals and opens.
enum MovieSQL {
    static let table = "movies"
    private static let columns = SQL(verbatim: Movie.Column.allCases.map(\.rawValue).joined(separator: ", "))
    private static let written = SQL(
        verbatim: Movie.Column.allCases.dropFirst().map(\.rawValue).joined(separator: ", "))

    private static func films(
        _ connection: borrowing Connection, _ rest: (SQL) throws -> SQL
    ) throws -> [Movie] {
        let table = try connection.readable(table)
        return try connection.query("SELECT \(columns) FROM \(table) \(rest(table))") { row in
            try Movie(row: row)
        }
    }

    /// A condition that finds equal values: by a blind index if they are sealed.
    private static func equal(
        _ column: Movie.Column, _ value: String, _ connection: borrowing Connection
    ) throws -> SQL {
        try connection.isSealed(column.rawValue, of: table)
            ? connection.matching(column.rawValue, of: table, .equal(.text(value)))
            : "\(verbatim: column.rawValue) = \(value)"
    }

    // MARK: Reading

    static func all(_ connection: borrowing Connection) throws -> [Movie] {
        try films(connection) { _ in "ORDER BY year, title, movieID" }
    }

    static func film(_ id: Int64, _ connection: borrowing Connection) throws -> Movie? {
        try films(connection) { _ in "WHERE movieID = \(id)" }.first
    }

    static func films(
        inCategory category: String, after year: Int?, _ connection: borrowing Connection
    ) throws -> [Movie] {
        let found = try equal(.category, category, connection)
        return try films(connection) { _ in
            if let year {
                "WHERE \(found) AND year > \(year) ORDER BY movieID DESC"
            } else {
                "WHERE \(found) ORDER BY movieID DESC"
            }
        }
    }

    static func films(
        titled title: String, _ connection: borrowing Connection
    ) throws -> [Movie] {
        let found = try equal(.title, title, connection)
        return try films(connection) { _ in "WHERE \(found) ORDER BY year, movieID" }
    }

    static func count(_ connection: borrowing Connection) throws -> Int {
        try connection.value("SELECT count(*) FROM movies") ?? 0
    }

    static func forEach(
        _ connection: borrowing Connection, _ body: (Movie) throws -> Void
    ) throws {
        let table = try connection.readable(table)
        let films = try connection.prepare("SELECT \(columns) FROM \(table) ORDER BY movieID")
        try films.forEach { row in try body(Movie(row: row)) }
    }

    // MARK: Writing

    /// A statement that takes a film, without its key.
    static func insertion(_ connection: borrowing Connection) throws -> Statement {
        try connection.prepare("INSERT INTO \(connection.readable(table)) (\(written)) VALUES (?, ?, ?, ?, ?, ?, ?)")
    }

    static func insert(_ movie: Movie, _ connection: borrowing Connection) throws -> Int64 {
        try requireLikes(movie.likes)
        try insertion(connection).run(row: movie)
        return connection.lastInsertedRowID
    }

    static func update(_ movie: Movie, _ connection: borrowing Connection) throws -> Bool {
        try requireLikes(movie.likes)
        let table = try connection.readable(table)
        let update = try connection.prepare(
            """
            UPDATE \(table) SET title = ?, category = ?, year = ?, movieURL = ?, coverURL = ?, watched = ?, likes = ?
            WHERE movieID = ?
            """)
        try update.run(
            movie.title, movie.category, movie.year, movie.movieURL, movie.coverURL,
            movie.isWatched, movie.likes, movie.id)
        return connection.changes == 1
    }

    /// Neither column is sealed, so no key is needed.
    static func rate(
        _ id: Int64, isWatched: Bool, likes: Int, _ connection: borrowing Connection
    ) throws -> Bool {
        try requireLikes(likes)
        try connection.execute("UPDATE movies SET watched = \(isWatched), likes = \(likes) WHERE movieID = \(id)")
        return connection.changes == 1
    }

    static func delete(_ id: Int64, _ connection: borrowing Connection) throws -> Bool {
        try connection.execute("DELETE FROM movies WHERE movieID = \(id)")
        return connection.changes == 1
    }

    private static func requireLikes(_ likes: Int) throws(LockstepError) {
        guard Movie.likesRange.contains(likes) else {
            throw LockstepError(
                .malformedInput, "a film has 0 to 3 likes, not \(likes)", hint: "give a number from 0 to 3")
        }
    }
}
