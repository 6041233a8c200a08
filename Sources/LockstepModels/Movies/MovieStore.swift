public import Lockstep
public import SystemPackage

/// The catalogue of films. Works on every version of the set `movies`.
///
/// From version 3 on titles, categories and addresses are a commercial dataset: sealed, and found through blind
/// indexes. The store's connections then need the keys of the dataset `movies` in `ConnectionOptions.fieldKeys`;
/// without them calls that read or write films throw `LockstepError.Code.keyUnavailable`, and
/// `rate`, `delete` and `count` still work. A customer gets the unchanged file and a
/// separate keyring: `Keyring.issue(to:)`, or `lockstep issue`.
public struct MovieStore: ModelStore {
    /// The migration set's name.
    public static let setName = "movies"
    /// The dataset that the films belong to from version 3 on.
    public static let dataset = "movies"
    /// The datasets of the columns that its set seals.
    public static let datasets = [dataset]

    /// The database that it works on.
    public let store: Store

    /// The catalogue in `store`.
    public init(_ store: Store) { self.store = store }

    // MARK: Import and export

    /// Imports the films of a tab-separated file: title, category, year, address, cover's address, and then none or
    /// both of watched, 0 or 1, and likes; lines end in LF or CRLF.
    ///
    /// All of them are imported in one transaction. A line that is not a valid film is left out and reported with its
    /// number; the others are imported. If reading or writing fails, nothing is.
    /// - Parameters:
    ///   - path: The file.
    ///   - identity: Opens the file if it is sealed for recipients.
    /// - Throws: `LockstepError.Code.notFound` and other errors of reading the file;
    ///   `LockstepError.Code.slotNotOpened` if it is sealed and `identity` does not open it;
    ///   `LockstepError.Code.malformedInput` if it is not sealed and there is an identity;
    ///   `LockstepError.Code.full`; the errors of every call, see ``ModelStore``.
    public func importTSV(
        _ path: FilePath, opening identity: ImportIdentity? = nil
    ) throws -> ImportReport {
        try writing { connection in
            let insert = try MovieSQL.insertion(connection)
            return try ImportReport.ofLines(path, identity, connection) { line in
                try insert.run(row: MovieLine.parse(line))
            }
        }
    }

    /// Passes all films to `write`, in the form that `importTSV` reads, and returns how many. A TAB or line end
    /// within a field becomes a space, because the format cannot represent it.
    /// - Throws: The errors of `write`; the errors of every call, see ``ModelStore``.
    public func exportTSV(_ write: ([UInt8]) throws -> Void) throws -> Int {
        try reading { connection in
            var count = 0
            try MovieSQL.forEach(connection) { film in
                try write(MovieLine.bytes(of: film))
                count += 1
            }
            return count
        }
    }

    // MARK: Reading

    /// All films, oldest first, those of a year by title.
    /// - Throws: The errors of every call; see ``ModelStore``.
    public func allByYear() throws -> [Movie] { try reading { try MovieSQL.all($0) } }

    /// The film with this key, or nil.
    /// - Throws: The errors of every call; see ``ModelStore``.
    public func movie(_ id: Int64) throws -> Movie? { try reading { try MovieSQL.film(id, $0) } }

    /// The films of a category, the last inserted first; with a `year`, only those of later years.
    /// - Throws: The errors of every call; see ``ModelStore``.
    public func movies(inCategory category: String, after year: Int? = nil) throws -> [Movie] {
        try reading { try MovieSQL.films(inCategory: category, after: year, $0) }
    }

    /// The films with this title, oldest first. From version 3 on a blind index finds them; before, all are compared.
    /// - Throws: The errors of every call; see ``ModelStore``.
    public func movies(titled title: String) throws -> [Movie] {
        try reading { try MovieSQL.films(titled: title, $0) }
    }

    /// How many films there are.
    /// - Throws: The errors of every call; see ``ModelStore``.
    public func count() throws -> Int { try reading { try MovieSQL.count($0) } }

    // MARK: Writing

    /// Inserts a film and returns its key.
    /// - Throws: `LockstepError.Code.malformedInput` for likes outside ``Movie/likesRange``.
    @discardableResult
    public func insert(_ movie: Movie) throws -> Int64 {
        try writing { try MovieSQL.insert(movie, $0) }
    }

    /// Changes the film with this key.
    /// - Returns: Whether there is such a film.
    /// - Throws: The same as `insert`.
    @discardableResult
    public func update(_ movie: Movie) throws -> Bool {
        try writing { try MovieSQL.update(movie, $0) }
    }

    /// Changes the film with this key as it is now: nobody writes it between the reading and the writing.
    /// - Returns: Whether there is such a film.
    /// - Throws: The same as `insert`; the errors of `change`, and then the film stays as it is.
    package func change(_ id: Int64, _ change: (inout Movie) throws -> Void) throws -> Bool {
        try writing { connection in
            guard var film = try MovieSQL.film(id, connection) else { return false }
            try change(&film)
            return try MovieSQL.update(film, connection)
        }
    }

    /// Records whether a film was watched, and how much it is liked.
    /// - Returns: Whether there is such a film.
    /// - Throws: The same as `insert`.
    @discardableResult
    public func rate(_ id: Int64, isWatched: Bool, likes: Int) throws -> Bool {
        try writing { try MovieSQL.rate(id, isWatched: isWatched, likes: likes, $0) }
    }

    /// Deletes the film with this key.
    /// - Returns: Whether there was one.
    /// - Throws: The errors of every call; see ``ModelStore``.
    @discardableResult
    public func delete(_ id: Int64) throws -> Bool { try writing { try MovieSQL.delete(id, $0) } }
}
