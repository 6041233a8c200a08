import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A table of films, whose title is plain or sealed: records do the same in both.
struct RecordScratch {
    enum Kind: CaseIterable, CustomTestStringConvertible {
        case plain, sealed

        var testDescription: String { "\(self)" }
    }

    let kind: Kind
    let workbench: SealedTableWorkbench

    static let schema = """
        CREATE TABLE movie (id INTEGER PRIMARY KEY, title TEXT NOT NULL, year INTEGER, note TEXT);
        CREATE TABLE tag (name TEXT NOT NULL, movie INTEGER NOT NULL, weight REAL,
            PRIMARY KEY (name, movie)) WITHOUT ROWID;
        CREATE TABLE counted (id INTEGER PRIMARY KEY, title TEXT NOT NULL,
            size INTEGER GENERATED ALWAYS AS (likes * 2) VIRTUAL, likes INTEGER NOT NULL DEFAULT 7);
        CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT);
        """

    init(_ kind: Kind) throws {
        self.kind = kind
        workbench = try SealedTableWorkbench(rows: 0)
        let connection = try workbench.open()
        try connection.run(script: Self.schema)
        guard kind == .sealed else { return }
        for (table, column) in [("movie", "title"), ("tag", "weight"), ("counted", "title")] {
            try connection.protect(column, of: table, keys: workbench.keys, mode: .random, padding: .none, batch: 10)
        }
    }

    func open() throws -> Connection { try workbench.open() }

    func openStore() throws -> Store {
        var options = StoreOptions()
        options.connection.fieldKeys = [workbench.keys]
        options.connection.mayBeUnsealed = true
        return try Store.open(workbench.path, rawKey: workbench.databaseKey(), options: options)
    }
}

/// A film, as most programs write one.
struct Movie: Record, Equatable {
    var id: Int64?
    var title: String
    var year: Int?
    var note: String?
}

/// One property of a type in a column without a type of its own, which stores values as they are.
struct Box<Element: Codable & Sendable & Equatable>: Record, Equatable {
    static var table: String { "box" }
    var id: Int64?
    var x: Element
}

extension Connection {
    /// The films in the order of their numbers.
    func movies() throws -> [Movie] {
        try decode(Movie.self, "SELECT * FROM \(try readable("movie")) ORDER BY id")
    }
}
