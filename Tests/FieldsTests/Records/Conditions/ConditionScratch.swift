import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A table of films whose columns are plain or sealed with indexes: conditions select the same rows of both.
struct ConditionScratch {
    struct Film: Record, Equatable {
        var id: Int64?
        var title: String
        var year: Int
        var rating: Double?
        var seen: String?
        var likes: Int = 0
    }

    let workbench: SealedTableWorkbench

    static let films = [
        Film(id: 1, title: "Metropolis", year: 1927, rating: 8.5, seen: "home"),
        Film(id: 2, title: "M", year: 1931, rating: 8.25),
        Film(id: 3, title: "metropolis", year: 2001, seen: "cinema", likes: 3),
        Film(id: 4, title: "Élégie", year: -5, rating: -1, seen: "Home"),
        Film(id: 5, title: "Metro", year: 1929, rating: 7, seen: ""), Film(id: 6, title: "", year: 1959, likes: 9),
        Film(id: 7, title: "e\u{301}le\u{301}gie", year: 0, seen: "100%"),
        Film(id: 8, title: "Straße", year: 1939, rating: 0, seen: "a_b"),
        Film(id: 9, title: "STRASSE\u{10FFFF}x", year: 1940),
    ]

    init(_ kind: RecordScratch.Kind, films: [Film] = films) throws {
        workbench = try SealedTableWorkbench(rows: 0)
        let db = try workbench.open()
        try db.run(
            script: """
                DROP TABLE film;
                CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT NOT NULL,
                    year INTEGER NOT NULL, rating REAL, seen TEXT, likes INTEGER NOT NULL DEFAULT 0);
                """)
        try db.insert(all: films)
        guard kind == .sealed else { return }
        try protect("title", [.exact, .casefold, .prefix(2), .prefix(5)], db)
        try protect("year", [.exact, .bucket(10)], db)
        try protect("rating", [.exact], db)
        try protect("seen", [.exact, .prefix(1)], db)
        try protect("likes", [], db)
    }

    private func protect(
        _ column: String, _ indexes: [Normaliser], _ db: borrowing Connection
    ) throws {
        try db.protect(
            column, of: "film", keys: workbench.keys, mode: .random, padding: .none,
            indexes: indexes.map { .init($0, mayBeHistogram: true) }, batch: 100)
    }

    func open(_ options: ConnectionOptions = .init()) throws -> Connection {
        var options = options
        options.fieldKeys = [workbench.keys]
        options.mayBeUnsealed = true
        return try Connection.open(workbench.path, key: workbench.databaseKey(), options: options)
    }

    func openStore() throws -> Store {
        var options = StoreOptions()
        options.connection.fieldKeys = [workbench.keys]
        options.connection.mayBeUnsealed = true
        return try Store.open(workbench.path, rawKey: workbench.databaseKey(), options: options)
    }
}
