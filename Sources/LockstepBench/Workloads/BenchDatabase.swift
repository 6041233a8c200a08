import BenchKit
import Lockstep
import SystemPackage

/// The database of a run, with the requested settings and a keyring next to it.
struct BenchDatabase: Sendable {
    let request: RunRequest

    /// The table of all rows.
    static let table = """
        CREATE TABLE record (id INTEGER PRIMARY KEY, a INTEGER NOT NULL, b INTEGER NOT NULL,
            c INTEGER NOT NULL, d INTEGER NOT NULL, ratio REAL NOT NULL, first TEXT NOT NULL,
            second TEXT NOT NULL, bytes BLOB NOT NULL)
        """

    init(_ request: RunRequest) { self.request = request }

    /// The keyring's file.
    var keyringFile: KeyringFile { KeyringFile(FilePath("\(request.path).keyring")) }

    /// The key of the file.
    func key() throws -> DatabaseKey { try keyring().databaseKey(for: request.path) }

    /// The keyring that the request's key opens, made at first use.
    func keyring() throws -> Keyring {
        let file = keyringFile
        if !file.exists {
            var keyring = try Keyring.create(.database)
            try keyring.addSlot("bench", try credential())
            try file.create(keyring)
        }
        return try file.open { _ in try credential() }
    }

    private func credential() throws -> Credential {
        let digits = request.key.compactMap(\.hexDigitValue)
        guard digits.count == 64, request.key.utf8.count == 64 else {
            throw BenchError("--key is not 64 hexadecimal digits")
        }
        let bytes = (0..<32).map { UInt8(digits[2 * $0] << 4 | digits[2 * $0 + 1]) }
        return try Credential.keyFile(SecretBytes(copying: bytes.span))
    }

    /// A store divides its memory: a quarter for the writer, the rest for the readers in use. The one connection that
    /// does the work must have as much as a peer's.
    private var options: StoreOptions {
        var options = StoreOptions()
        options.connection.synchronous = request.synchronous == .full ? .full : .normal
        options.cacheBytes =
            if case .file = request.workload.type.input {
                (request.cacheBytes + 2) / 3 * 4
            } else {
                request.cacheBytes * 4
            }
        return options
    }

    /// The store as a program opens it, with its keyring and all checks.
    func openWithKeyring(_ migrations: MigrationSet, _ mode: OpeningMode) throws -> Store {
        let source = KeySource.provider { _ in try credential() }
        return try Store.openBlocking(
            request.path, key: source, keyring: keyringFile, migrations: migrations,
            records: Record.self, mode: mode, options: options)
    }

    /// The store of such a file without any of the checks.
    func openStoreAlone() throws -> Store {
        var keyring = try keyring()
        return try Store.open(
            request.path, keyring: &keyring, in: keyringFile, options: options)
    }

    func open(_ key: borrowing DatabaseKey) throws -> Store {
        try Store.open(request.path, rawKey: key, options: options)
    }

    /// A new database with the empty table.
    func create() throws -> Store {
        let store = try Store.create(request.path, rawKey: key(), options: options)
        try store.blocking.write { db in try db.run(script: Self.table) }
        return store
    }

    /// Measures what `write` does to a new database until that is closed, then reads it back.
    /// - Parameter write: Can stop the clock while it prepares its input, and start it again.
    func measureWriting(
        operations: Int, _ write: (Store, inout ProcessClock) throws -> Void
    ) throws -> Measurement {
        var measurement = Measurement()
        var store: Store? = try create()
        try store?.blocking.write { db in try measurement.look(at: db) }
        measurement.clock.start()
        if let store { try write(store, &measurement.clock) }
        store = nil
        measurement.clock.stop()
        measurement.operations = operations
        measurement.hash = try reread()
        return measurement
    }

    /// The hash of the table's content, read back.
    func reread() throws -> RowHash {
        let store = try open(key())
        return try store.blocking.read { db in
            var hash = RowHash()
            let statement = try db.prepare("SELECT id, a, b, c, d, ratio, first, second, bytes FROM record ORDER BY id")
            try statement.forEach { row in hash.add(try Record(row)) }
            return hash
        }
    }

    private var connectionOptions: ConnectionOptions {
        var options = ConnectionOptions()
        options.synchronous = request.synchronous == .full ? .full : .normal
        options.cacheBytes = request.cacheBytes
        return options
    }

    func createConnection(_ key: borrowing DatabaseKey) throws -> Connection {
        try Connection.create(request.path, key: key, options: connectionOptions)
    }

    func openConnection(_ key: borrowing DatabaseKey) throws -> Connection {
        try Connection.open(request.path, key: key, options: connectionOptions)
    }
}

extension Record: Lockstep.Record {}

extension Record: RowEncodable {
    func encode(to parameters: inout Parameters) {
        parameters.append(id)
        parameters.append(a)
        parameters.append(b)
        parameters.append(c)
        parameters.append(d)
        parameters.append(ratio)
        parameters.append(first)
        parameters.append(second)
        parameters.append(bytes)
    }
}

extension Record {
    /// Decodes a row that has the table's columns in their order.
    init(_ row: borrowing Row) throws {
        self.init(
            id: try row[0], a: try row[1], b: try row[2], c: try row[3], d: try row[4],
            ratio: try row[5], first: try row[6], second: try row[7], bytes: try row[8])
    }

    /// The row with a key, in a separate query.
    static func find(_ id: Int64, in db: borrowing Connection) throws -> Record {
        let record = try db.first(
            "SELECT id, a, b, c, d, ratio, first, second, bytes FROM record WHERE id = ?", id
        ) { row in try Record(row) }
        return try found(record, id)
    }

    /// Throws if there is no such row.
    static func found(_ record: Record?, _ id: Int64) throws -> Record {
        guard let record else {
            throw BenchError("there is no row \(id)", hint: "make the file with `fill` and as many --rows")
        }
        return record
    }

    /// Inserts the row, in a separate statement.
    func insert(in db: borrowing Connection) throws {
        try db.execute(
            "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            id, a, b, c, d, ratio, first, second, bytes)
    }
}
