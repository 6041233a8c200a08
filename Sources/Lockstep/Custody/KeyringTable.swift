// A database's record of its keyring, and its own id
// ==================================================
//
//   lockstep_keyring
//     ring      the id of a ring, 16 bytes, as in the keyring's header
//     epoch     the lowest epoch that a keyring with this ring can have, 1 or more
//     database  NULL
//     dataset   NULL for a database keyring; for a fields keyring the dataset's id. The column is absent before the
//               first row of a fields keyring; older programs read such a row as one of a ring that nobody has
//     mac       NULL for a database keyring; for a fields keyring what authenticates its row: see EpochCode.swift. It
//               comes and is absent with `dataset`
//
//   In the one row whose ring is 16 zero bytes:
//
//     epoch     the file's role: 1 for the database itself, 2 for a copy of it
//     database  the database's id, 16 random bytes
//
//   In the one row whose ring is 16 bytes of 255, which a restore adds:
//
//     epoch     when the file was restored, in seconds since 1970
//     database  NULL, and so is dataset
//
// A keyring's epoch counts its versions. The database is encrypted and each of its pages has a MAC, so nobody
// without its key can lower an epoch alone. Restoring an old copy of the whole file lowers it, but then the
// keyring is ahead of the file. An older copy of either one shows against the other, if the keyring has changed
// in between.
//
// A database has one database keyring. A ring of one that is new to the database has replaced those that it knows:
// their epochs rise to the new ring's, so that a keyring from before the change is too old. It can have several
// keyrings of a dataset, such as an issued one: there only the rings that a new ring says it has replaced rise with it.
//
// A database that is created under a keyring's key gets its id then; any other gets it with the first feature that
// needs it. Copies, restores and rotations keep it; a fork gets one of its own. Keyrings list the ids of their
// databases, and the records of sealed columns are authenticated together with it. The second keyring format added the
// column `database`: older tables lack it, and their databases get an id with the next command that writes what the
// keyring must know. No ring has an id of zero bytes, and older programs read that row as one of a ring that nobody
// has.
//
// The row of a restore explains a state that the fields keyrings do not know, and it decides nothing: anyone who can
// write the database can add it. It goes when a keyring has confirmed the state, or a person has accepted it. Older
// programs read it as a row of a ring that nobody has.
//
// A backup, also that of a safe migration, and a salvage make copies; creation, adoption, rotation, restore and
// provisioning make the database itself, and so does a fork. A copy from a program that knew no roles says that it is
// the database, and so does one that was made with another program, such as `cp`.

/// Reads and writes the table.
enum KeyringTable {
    /// Bytes of a ring's id and of a database's id.
    static let idLength = DatabaseKey.idLength
    private static let noRing = [UInt8](repeating: 0, count: idLength)
    private static let restoredRing = [UInt8](repeating: 255, count: idLength)

    /// The content of the table.
    struct Content: Sendable, Equatable {
        /// The lowest epochs of database keyrings, by the rings' ids.
        var epochs: [[UInt8]: UInt64] = [:]
        /// The rows of fields keyrings.
        var fields: [FieldsRow] = []
        /// Their epochs, by the rings' ids.
        var fieldsEpochs: [[UInt8]: UInt64] {
            Dictionary(fields.map { ($0.ring, $0.epoch) }, uniquingKeysWith: max)
        }
        /// The database's id; nil if it has none yet.
        var database: [UInt8]?
        /// Whether the file is the database itself; so is one without an id.
        var role = FileRole.original
        /// When the file was restored, in seconds since 1970, if no fields keyring has confirmed its state since.
        var restored: Int64?
    }

    /// What is recorded of a fields keyring.
    struct FieldsRow: Sendable, Equatable {
        let dataset: [UInt8]
        let ring: [UInt8]
        var epoch: UInt64
        /// Nil for a row without one.
        var mac: [UInt8]?
    }

    /// The content of the database's table; empty if it has no such table.
    /// - Throws: ``LockstepError/Code/tampered`` for a row that Lockstep did not write.
    static func read(_ connection: borrowing Connection) throws -> Content {
        var content = Content()
        try EngineTables.readIfExists(EngineTables.epochs, connection) { limit in
            let database = has("database", connection) ? "database" : "NULL"
            let dataset = has("dataset", connection) ? "dataset" : "NULL"
            let mac = has("mac", connection) ? "mac" : "NULL"
            let sql: SQL = """
                SELECT ring, epoch, \(verbatim: database), \(verbatim: dataset), \(verbatim: mac)
                FROM main.lockstep_keyring
                """
            do {
                try read(sql, connection, limit, into: &content)
            } catch let error as LockstepError where error.code == .sqlFailed {
                // The table lacks a column.
                throw impossible
            }
        }
        return content
    }

    private static func read(
        _ sql: SQL, _ connection: borrowing Connection, _ limit: EngineTables.RowLimit, into content: inout Content
    ) throws {
        var limit = limit
        try connection.prepare(sql).forEach { row in
            try limit.count()
            guard let ring = try? row[0] as [UInt8], ring.count == idLength, let epoch = try? row[1] as Int64, epoch > 0
            else { throw impossible }
            let isRing = ring != noRing
            guard let database = try? row[2] as Value, isRing == (database == .null),
                let dataset = try? row[3] as Value,
                let mac = try? row[4] as Value
            else { throw impossible }
            switch (isRing, dataset) {
            case (true, .null) where ring == restoredRing:
                content.restored = epoch
                return
            case (true, .null):
                content.epochs[ring] = UInt64(epoch)
                return
            case (true, .blob(let id)) where id.count == idLength:
                let code: [UInt8]? = if case .blob(let bytes) = mac { bytes } else { nil }
                content.fields.append(FieldsRow(dataset: id, ring: ring, epoch: UInt64(epoch), mac: code))
                return
            case (false, .null): break
            default: throw impossible
            }
            guard case .blob(let id) = database, id.count == idLength, id != noRing,
                let role = FileRole(rawValue: epoch)
            else { throw impossible }
            (content.database, content.role) = (id, role)
        }
    }

    /// The database's id; nil if it has none yet.
    /// - Throws: as ``read(_:)``.
    static func database(_ connection: borrowing Connection) throws -> [UInt8]? {
        try read(connection).database
    }

    /// Returns the database's id, or gives it one within the open transaction.
    static func identify(_ connection: borrowing Connection) throws -> [UInt8] {
        if let id = try database(connection) { return id }
        let id = try Random.bytes(idLength)
        try set(id, connection)
        return id
    }

    /// Gives a database that has none this id, within the open transaction.
    static func set(_ id: [UInt8], as role: FileRole = .original, _ connection: borrowing Connection) throws {
        try prepare(connection)
        try connection.execute(
            "INSERT INTO main.lockstep_keyring (ring, epoch, database) VALUES (?, ?, ?)", noRing, role.rawValue, id)
    }

    /// Makes a copy the database with this id, within the open transaction. What it has recorded of keyrings stays.
    static func fork(as id: [UInt8], _ connection: borrowing Connection) throws {
        try connection.execute(
            "UPDATE main.lockstep_keyring SET epoch = ?, database = ? WHERE ring = ?",
            FileRole.original.rawValue, id, noRing)
    }

    /// Gives a file that was another database this id and no keyring, within the open transaction.
    static func startAgain(as id: [UInt8], _ connection: borrowing Connection) throws {
        try prepare(connection)
        try connection.execute("DELETE FROM main.lockstep_keyring")
        try set(id, connection)
    }

    /// Records the role of a file that has an id.
    static func set(_ role: FileRole, _ connection: borrowing Connection) throws {
        let content = try read(connection)
        guard content.database != nil, content.role != role else { return }
        try connection.execute("UPDATE main.lockstep_keyring SET epoch = ? WHERE ring = ?", role.rawValue, noRing)
    }

    /// Records when a file that has an id was restored; nil once its state is confirmed. Within the open transaction.
    static func set(restored seconds: Int64?, _ connection: borrowing Connection) throws {
        let content = try read(connection)
        guard content.database != nil, content.restored != seconds else { return }
        try connection.execute("DELETE FROM main.lockstep_keyring WHERE ring = ?", restoredRing)
        guard let seconds else { return }
        try connection.execute(
            "INSERT INTO main.lockstep_keyring (ring, epoch) VALUES (?, ?)", restoredRing, max(seconds, 1))
    }

    /// Raises the epochs of these rings to at least `epoch`, within the open transaction.
    static func raise(
        _ rings: [[UInt8]], to epoch: UInt64, _ connection: borrowing Connection
    ) throws {
        try prepare(connection)
        let upsert = try connection.prepare(
            """
            INSERT INTO main.lockstep_keyring (ring, epoch) VALUES (?, ?)
            ON CONFLICT (ring) DO UPDATE SET epoch = max(epoch, excluded.epoch)
            """)
        for ring in rings { try upsert.run(ring, Int64(clamping: epoch)) }
    }

    /// Writes rows of fields keyrings in place of those of their rings, within the open transaction.
    static func put(_ rows: [FieldsRow], _ connection: borrowing Connection) throws {
        try prepare(connection)
        for column in ["dataset", "mac"] where !has(column, connection) {
            try connection.execute("ALTER TABLE main.lockstep_keyring ADD COLUMN \(name: column) BLOB")
        }
        let upsert = try connection.prepare(
            "INSERT OR REPLACE INTO main.lockstep_keyring (ring, epoch, dataset, mac) VALUES (?, ?, ?, ?)")
        for row in rows { try upsert.run(row.ring, Int64(clamping: row.epoch), row.dataset, row.mac) }
    }

    /// Removes the rows of a dataset's keyrings, within the open transaction.
    static func remove(fieldsOf dataset: [UInt8], _ connection: borrowing Connection) throws {
        guard try EngineTables.exists(EngineTables.epochs, connection), has("dataset", connection) else { return }
        try connection.execute("DELETE FROM main.lockstep_keyring WHERE dataset = ?", dataset)
    }

    private static func prepare(_ connection: borrowing Connection) throws {
        guard try EngineTables.exists(EngineTables.epochs, connection) else {
            return try connection.execute(
                """
                CREATE TABLE main.lockstep_keyring (
                    ring BLOB PRIMARY KEY NOT NULL,
                    epoch INTEGER NOT NULL,
                    database BLOB
                ) WITHOUT ROWID
                """)
        }
        guard !has("database", connection) else { return }
        try connection.execute("ALTER TABLE main.lockstep_keyring ADD COLUMN database BLOB")
    }

    private static func has(_ column: String, _ connection: borrowing Connection) -> Bool {
        EngineTables.has(column, in: EngineTables.epochs, connection)
    }

    private static let impossible = LockstepError(
        .tampered, "the database's record of its keyring, lockstep_keyring, is invalid",
        hint: "restore the database from a backup")
}

extension Connection {
    /// The database's id, 16 bytes; nil if it has none yet.
    /// - Throws: ``LockstepError/Code/tampered`` for a table that Lockstep did not write.
    package func databaseID() throws -> [UInt8]? {
        try with(rights: .engine) { try KeyringTable.database(self) }
    }
}

extension Connection {
    /// The database's id, which it gets within the open transaction if it has none.
    package func makeDatabaseID() throws -> [UInt8] {
        try with(rights: .engine) { try KeyringTable.identify(self) }
    }
}

extension FileRole: FileRoleRecord {
    func write(to connection: borrowing Connection) throws {
        try connection.with(rights: .engine) { try KeyringTable.set(self, connection) }
    }

    func noteRestore(at seconds: Int64, in connection: borrowing Connection) throws {
        try connection.with(rights: .engine) {
            try KeyringTable.set(restored: seconds, connection)
        }
    }
}

extension Connection {
    /// Whether the file was a copy, when it was opened, that lies elsewhere than its database: a change makes it
    /// another database, so that it is forked first. A raw key does not show it.
    package var isCopy: Bool { core.isCopy }

    /// Whether the file is a database itself or a copy of one.
    /// - Throws: ``LockstepError/Code/tampered`` for a table that Lockstep did not write.
    package func fileRole() throws -> FileRole {
        try with(rights: .engine) { try KeyringTable.read(self).role }
    }
}
