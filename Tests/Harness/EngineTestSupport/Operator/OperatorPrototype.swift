import SystemPackage
import TestSupport

@testable import Lockstep

/// A database with sealed columns, the keyrings that remember it, and everything of its past and of other databases
/// that an operator can have kept: made once, and copied for each attempt.
struct OperatorPrototype: Sendable {
    /// The files of the folder, by name.
    let files: [String: [UInt8]]
    /// The registry after each change, oldest first; the last is the current one.
    let states: [RegistryRows]
    /// The same schema in another database, sealed for the same dataset and for another one.
    let otherDatabase: OtherDatabase
    let otherDataset: OtherDatabase
    /// Cells that were in the file at some time, by location.
    let formerCells: [CellPlace: Set<FormerCell>]
    /// The column `fee` of the table `credit` contains plaintext and cells.
    let isMigrating: Bool

    /// A cell's location.
    struct CellPlace: Hashable, Sendable {
        let table: String
        let column: String
        /// The values of the primary key.
        let key: [Value]
    }

    /// A cell with its tokens.
    struct FormerCell: Hashable, Sendable {
        let cell: Value
        let tokens: [Value]
    }

    /// What an operator can copy from another database.
    struct OtherDatabase: Sendable {
        let id: [UInt8]
        let registry: RegistryRows
        /// Its registry when fewer columns were sealed.
        let earlier: RegistryRows
        let rows: [TableRows]

        /// - Parameter earlier: Its registry when fewer columns were sealed, if that was kept.
        init(_ connection: borrowing Connection, earlier: RegistryRows? = nil) throws {
            id = try connection.with(rights: .engine) {
                try connection.write { connection in try KeyringTable.identify(connection) }
            }
            registry = try RegistryRows(connection)
            self.earlier = try earlier ?? RegistryRows(connection)
            rows = try ["film", "credit"].map { try TableRows($0, connection) }
        }
    }

    static let database = "films.db"
    static let databaseKeyring = "films.database.keyring"
    static let fieldsKeyring = "films.fields.keyring"
    /// The number of films; each has one or two credits.
    static let films = 12

    /// One for all tests; with and without a column that is being sealed.
    static let finished = Result { try OperatorPrototype(isMigrating: false) }
    static let migrating = Result { try OperatorPrototype(isMigrating: true) }

    /// The content of the migration set: the last version is not applied yet where `isGrown` is false.
    static func set(isGrown: Bool = false) throws -> MigrationSet {
        let versions = [
            (
                name: "0001_films.sql",
                content: """
                -- lockstep: up
                CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT NOT NULL, note TEXT, memo TEXT,
                    year INTEGER, code INTEGER NOT NULL DEFAULT 0);
                CREATE TABLE credit (film INTEGER NOT NULL REFERENCES film (id), place INTEGER NOT NULL,
                    role TEXT, fee TEXT, PRIMARY KEY (film, place));
                """
            ),
            (
                name: "0002_title.sql",
                content: """
                -- lockstep: up
                -- lockstep: protect film.title dataset=films index=casefold:20,exact:128 padding=32
                """
            ),
            (
                name: "0003_more.sql",
                content: """
                -- lockstep: up
                -- lockstep: protect film.note dataset=films mode=deterministic
                -- lockstep: protect credit.role dataset=films
                """
            ),
            (
                name: "0004_memo.sql",
                content: """
                -- lockstep: up
                ALTER TABLE film ADD COLUMN extra TEXT;
                -- lockstep: protect film.memo dataset=films
                """
            ),
        ]
        return try MigrationSet(name: "films", files: isGrown ? versions : versions.dropLast())
    }

    init(isMigrating: Bool) throws {
        let folder = try TemporaryFolder()
        let bench = TamperedDatabase(folder: folder, isMigrating: isMigrating)
        var keyring = try Keyring.create(.database)
        try keyring.addSlot("file", Rings.keyFile())
        try keyring.listNewDatabase()
        try bench.keyringFile.create(keyring)
        var fields = try Keyring.create(.fields)
        try fields.addSlot("file", Rings.keyFile())
        try bench.fieldsFile.create(fields)
        var states: [RegistryRows] = []
        var former: [CellPlace: Set<FormerCell>] = [:]
        do {
            let keys = try fields.fieldKeys(named: "films")
            let connection = try Connection.create(
                bench.path, key: keyring.newDatabaseKey(), options: Self.options(keys))
            try Self.fill(connection) {
                states.append(try RegistryRows(connection))
                former.merge(try Self.cells(connection)) { $0.union($1) }
            }
            if isMigrating { try Self.begin(connection, keys) }
            states.append(try RegistryRows(connection))
            try keyring.bind(connection, in: bench.keyringFile)
            try bench.fieldsFile.remember(&fields, sealedIn: connection)
        }
        self.isMigrating = isMigrating
        self.states = states
        formerCells = former
        otherDatabase = try Self.other(fields.fieldKeys(named: "films"))
        otherDataset = try Self.other(Keyring.create(.fields).fieldKeys(named: "films"))
        var files: [String: [UInt8]] = [:]
        for name in [Self.database, Self.databaseKeyring, Self.fieldsKeyring] {
            files[name] = try Bytes.read(folder.file(name))
        }
        self.files = files
    }

    static func options(_ keys: FieldKeys) -> ConnectionOptions {
        var options = ConnectionOptions()
        options.synchronous = .normal
        options.fieldKeys = [keys]
        options.mayBeUnsealed = true
        return options
    }

    /// Films and credits, sealed step by step; `note` is called after each step.
    /// - Parameter last: The last version that is applied; the columns are then left as that version seals them.
    static func fill(
        _ connection: borrowing Connection, _ marker: String = "", upTo last: String? = nil, _ note: () throws -> Void
    ) throws {
        let migrator = try Migrator(set())
        _ = try migrator.run(.version(MigrationVersion(1)), on: connection)
        for id in 1...films {
            try connection.execute(
                """
                INSERT INTO film (id, title, note, memo, year, code) VALUES (?, ?, ?, ?, ?, ?)
                """, id, "\(OperatorProgram.sealedMarker)title \(id)\(marker)",
                "\(OperatorProgram.noteMarker)\(id % 4)\(marker)", "memo \(id)", 1920 + id, id * 7)
            for place in 0...(id % 2) {
                try connection.execute(
                    "INSERT INTO credit (film, place, role, fee) VALUES (?, ?, ?, ?)", id, place,
                    "\(OperatorProgram.sealedMarker)role \(id) \(place)\(marker)", "fee \(id)")
            }
        }
        for version in ["2", "3"] {
            guard let version = MigrationVersion(version) else { continue }
            _ = try migrator.run(.version(version), on: connection)
            try note()
            if version.description == last { return }
        }
        guard let keys = connection.sealed?.allKeys.first else { return }
        // A column that was sealed and then unsealed.
        try connection.protect("memo", of: "film", keys: keys)
        try note()
        try connection.unprotect("memo", of: "film", keys: keys)
        try note()
        for id in [2, 5, 7] {
            try connection.execute(
                "UPDATE film_open SET title = ?, note = ? WHERE id = ?",
                "\(OperatorProgram.sealedMarker)newer title \(id)\(marker)",
                "\(OperatorProgram.noteMarker)newer \(id % 2)\(marker)", id)
            try connection.execute(
                "UPDATE credit_open SET role = ? WHERE film = ?",
                "\(OperatorProgram.sealedMarker)newer role \(id)\(marker)", id)
        }
    }

    /// Leaves the column `fee` half sealed.
    private static func begin(_ connection: borrowing Connection, _ keys: FieldKeys) throws {
        var batches = 0
        do {
            try connection.protect("fee", of: "credit", keys: keys, batch: 5) { _ in
                batches += 1
                if batches == 2 { throw Stop() }
            }
        } catch is Stop {}
    }

    static func other(_ keys: FieldKeys) throws -> OtherDatabase {
        let connection = try Connection.inMemory(options(keys))
        var states: [RegistryRows] = []
        try fill(connection, " elsewhere") { states.append(try RegistryRows(connection)) }
        return try OtherDatabase(connection, earlier: states[0])
    }

    /// The current cells of sealed columns.
    private static func cells(
        _ connection: borrowing Connection
    ) throws -> [CellPlace: Set<FormerCell>] {
        var cells: [CellPlace: Set<FormerCell>] = [:]
        for column in OperatorTruth.sealed {
            let names = column.key + [column.name] + column.tokens
            let known = try TableRows(column.table, connection).columns
            guard names.allSatisfy(known.contains) else { continue }
            for row in try TableRows(column.table, connection, names).rows {
                guard OperatorTruth.isCell(row[column.key.count]) else { continue }
                let place = CellPlace(
                    table: column.table, column: column.name,
                    key: Array(row[..<column.key.count]))
                cells[place, default: []].insert(
                    FormerCell(cell: row[column.key.count], tokens: Array(row[(column.key.count + 1)...])))
            }
        }
        return cells
    }
}
