import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// The operator's initial database: tables with all kinds of keys and with sealed columns, and the values written to
/// them. It is made once; each schema gets a copy of the file.
struct HostileTemplate: Sendable {
    /// A sealed column, and the key that opens its cells.
    struct Column: Sendable {
        let table: String
        let name: String
        let mode: SealedColumn.Mode
        let indexes: [SealedIndex.Request]
        /// The columns of the table's primary key, in order.
        let key: [String]
    }

    static let columns = [
        Column(
            table: "film", name: "title", mode: .random,
            indexes: [.init(.exact, bits: 128), .init(.casefold, bits: 63)], key: ["id"]),
        Column(table: "film", name: "note", mode: .random, indexes: [], key: ["id"]),
        Column(
            table: "film", name: "genre", mode: .deterministic,
            indexes: [.init(.exact, bits: 63)], key: ["id"]),
        Column(table: "pair", name: "secret", mode: .random, indexes: [], key: ["b", "a"]),
        // A name that Unicode can spell in two ways; to SQLite these are two names.
        Column(
            table: "code", name: "cl\u{E9}", mode: .random,
            indexes: [.init(.exact, bits: 63)], key: ["c"]),
        Column(table: "log", name: "entry", mode: .random, indexes: [], key: ["id"]),
    ]

    /// Part of every value to be sealed, and of no other text.
    static let magic = "zQxjKvWq7p"
    /// Part of every value that the operator wants sealed.
    static let forged = "FORGED"
    /// Values whose tokens the operator wants to know. No program writes them.
    static let guesses = ["GUESS-one", "guess-TWO", "FORGED-guess"]

    let file: [UInt8]
    let keys: FieldKeys
    /// The keys of the same dataset after a rotation.
    let newerKeys: FieldKeys
    /// By `table.column`.
    let registered: [String: SealedColumn]
    /// The written values, by table, primary key and column.
    let values: [HostilePlace: String]
    /// Every cell stored in it.
    let cells: Set<[UInt8]>
    /// Tokens and cells of the guesses, as bytes.
    let guessed: [[UInt8]]

    static func databaseKey() throws -> DatabaseKey {
        try DatabaseKey(secret: SecretBytes(copying: secret.span), salt: salt)
    }

    private static let secret = [UInt8](repeating: 7, count: 32)
    private static let salt = [UInt8](repeating: 5, count: 16)

    /// The key in the form that SQLCipher's functions accept.
    static let keyspec = "x'\(Hex.encode(secret))\(Hex.encode(salt))'"

    private static let tables = """
        CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT NOT NULL DEFAULT 'untitled',
            year INTEGER NOT NULL DEFAULT 1900, note TEXT, genre TEXT);
        CREATE TABLE pair (a TEXT NOT NULL, b INTEGER NOT NULL, secret, extra,
            PRIMARY KEY (b, a)) WITHOUT ROWID;
        CREATE TABLE code (c TEXT NOT NULL PRIMARY KEY, "cl\u{E9}" TEXT, extra);
        CREATE TABLE log (id INTEGER PRIMARY KEY AUTOINCREMENT, entry, extra);
        CREATE TABLE plain (id INTEGER PRIMARY KEY, x, draft TEXT);
        """

    init() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("template.db")
        keys = try CellWorkbench.keys(named: "catalogue")
        newerKeys = try CellWorkbench.keys(active: 4, retired: [3], named: "catalogue")
        var options = ConnectionOptions()
        options.fieldKeys = [keys]
        options.mayBeUnsealed = true
        let connection = try Connection.create(
            path, key: Self.databaseKey(), options: options)
        try connection.run(script: Self.tables)
        let written = try Self.fill(connection)
        for column in Self.columns {
            try connection.protect(
                column.name, of: column.table, keys: keys, mode: column.mode, indexes: column.indexes)
        }
        values = written
        let found = try RegistryTables.read(keys, connection)
        let registry = try #require(found)
        registered = Dictionary(uniqueKeysWithValues: registry.columns.map { ("\($0.table).\($0.name)", $0) })
        var cells: Set<[UInt8]> = []
        for column in Self.columns {
            cells.formUnion(
                try connection.query(
                    "SELECT \(name: column.name) FROM \(name: column.table) WHERE \(name: column.name) IS NOT NULL"
                ) { try $0[0] as [UInt8] })
        }
        self.cells = cells
        guessed = try Self.guessed(registry, keys)
        _ = try connection.checkpoint(.truncate)
        file = try Bytes.read(path)
    }

    private static func fill(
        _ connection: borrowing Connection
    ) throws -> [HostilePlace: String] {
        var written: [HostilePlace: String] = [:]
        for id in 1...4 {
            let values = ["title", "note", "genre"].map { "\($0) \(magic) of \(id)" }
            try connection.execute(
                "INSERT INTO film (id, title, note, genre) VALUES (?, ?, ?, ?)", id, values[0], values[1], values[2])
            for (name, value) in zip(["title", "note", "genre"], values) {
                written[HostilePlace("film", ["\(id)"], name)] = value
            }
            let secret = "pair \(magic) \(id)"
            try connection.execute("INSERT INTO pair (a, b, secret) VALUES (?, ?, ?)", "a\(id)", id, secret)
            written[HostilePlace("pair", ["\(id)", "a\(id)"], "secret")] = secret
            let key = "code \(magic) \(id)"
            try connection.execute("INSERT INTO code (c, \(name: "cl\u{E9}")) VALUES (?, ?)", "c\(id)", key)
            written[HostilePlace("code", ["c\(id)"], "cl\u{E9}")] = key
            let entry = "log \(magic) \(id)"
            try connection.execute("INSERT INTO log (entry) VALUES (?)", entry)
            written[HostilePlace("log", ["\(id)"], "entry")] = entry
            try connection.execute("INSERT INTO plain (x, draft) VALUES (?, 'draft')", "x\(id)")
        }
        return written
    }

    /// The bytes that would show that a guess was tokenised, or was sealed where equal values have equal cells.
    private static func guessed(_ registry: ColumnRegistry, _ keys: FieldKeys) throws -> [[UInt8]] {
        var found: [[UInt8]] = []
        for column in registry.columns {
            for guess in guesses {
                for index in column.indexes {
                    let hasher = try BlindIndexHasher(index.index, keys)
                    switch try hasher.token([.text(guess)]) {
                    case .blob(let bytes): found.append(bytes)
                    case .integer(let number): found.append(number.bigEndianBytes)
                    default: break
                    }
                }
                guard column.mode == .deterministic else { continue }
                let cipher = try ColumnCipher(
                    column: column.id, identity: column.identity, keys, SealingTools(), mode: .deterministic)
                found.append(try cipher.seal(.text(guess), at: .column))
            }
        }
        return found
    }
}

/// A sealed value's place: its table, its row's primary key and its column.
struct HostilePlace: Hashable, Sendable {
    let table: String
    let key: [String]
    let column: String

    init(_ table: String, _ key: [String], _ column: String) {
        (self.table, self.key, self.column) = (table, key, column)
    }
}
