import SystemPackage
import TestSupport
import Testing

@testable import Lockstep

/// A file with a table of films, whose title and note can be sealed.
struct SealedTableWorkbench {
    let folder: TemporaryFolder
    let path: FilePath
    let keys: FieldKeys
    private let key: [UInt8]

    static let films = ["Casablanca", "The Third Man", "Rear Window", "It Happened One Night", "Metropolis"]

    init(rows: Int = 5, keys: FieldKeys? = nil) throws {
        folder = try TemporaryFolder()
        path = folder.path.appending("films.db")
        self.keys = try keys ?? CellWorkbench.keys()
        key = [UInt8](repeating: 7, count: 32)
        let connection = try Connection.create(path, key: databaseKey())
        try connection.run(
            script: """
                CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT NOT NULL DEFAULT 'untitled',
                    year INTEGER, note TEXT);
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
                INSERT INTO film (id, title, year, note)
                SELECT i, 'placeholder', 1900 + i % 100, CASE WHEN i % 3 = 0 THEN NULL ELSE 'note ' || i END
                FROM n WHERE \(rows) > 0;
                """)
        for row in 0..<rows {
            try connection.execute("UPDATE film SET title = ? WHERE id = ?", Self.title(row), Int64(row + 1))
        }
    }

    static func title(_ row: Int) -> String {
        row < films.count ? films[row] : "\(films[row % films.count]) number \(row)"
    }

    func databaseKey() throws -> DatabaseKey {
        try DatabaseKey(secret: SecretBytes(copying: key.span), salt: [UInt8](repeating: 5, count: 16))
    }

    /// Opens the file, with the fields keyring unless it is left out.
    func open(_ keys: [FieldKeys]? = nil) throws -> Connection {
        var options = ConnectionOptions()
        options.fieldKeys = keys ?? [self.keys]
        // Most tests seal the first column themselves.
        if !options.fieldKeys.isEmpty { options.mayBeUnsealed = true }
        return try Connection.open(path, key: databaseKey(), options: options)
    }

    /// A connection to the file in which the title is sealed.
    func sealed(
        mode: SealedColumn.Mode = .random, padding: CellPadding = .none
    ) throws -> Connection {
        let connection = try open()
        try connection.protect("title", of: "film", keys: keys, mode: mode, padding: padding, batch: 2)
        return connection
    }
}

extension Connection {
    /// The argument by which this connection's SQL proves that it can call a function for a column.
    func capability(of column: String, in table: String) throws -> [UInt8] {
        let session = try #require(sealed)
        let (number, _) = try #require(session.column(named: column, of: table))
        return session.capability.argument(for: number)
    }

    /// The values of a query of one column.
    func texts(_ sql: String) throws -> [String?] {
        try query(SQL(verbatim: sql)) { row in try row[0] as String? }
    }
}
