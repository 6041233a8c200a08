// What a database remembers of its keyring
// ========================================
//
//   lockstep_keyring
//     ring    the id of a ring, 16 bytes; it stands in the keyring's header
//     epoch   the least epoch that a keyring with this ring may have, 1 or more
//
// A keyring's epoch counts its versions. The database is encrypted and each of its pages has a MAC, so that
// nobody without its key can set an epoch back alone: only by putting back the whole file, and then the
// keyring's is ahead of the file's. Whichever of the two is an older copy shows beside the other, as long as
// the keyring has changed in between.
//
// A database has one keyring. A ring that it does not know yet has taken the place of those that it knows:
// their epochs rise to the new ring's, so that a keyring from before the ring was changed is too old.

/// Reads and writes the table.
enum RememberedEpochs {
    /// The least epochs by the rings' ids; empty where the database remembers nothing.
    /// - Throws: ``LockstepError/Code/tampered`` for a row that no Lockstep wrote.
    static func read(_ connection: borrowing Connection) throws -> [[UInt8]: UInt64] {
        guard try EngineTables.exists(EngineTables.epochs, connection) else { return [:] }
        let rows = try connection.query("SELECT ring, epoch FROM main.lockstep_keyring") { row in
            (ring: try row[0] as [UInt8], epoch: try row[1] as Int64)
        }
        var epochs: [[UInt8]: UInt64] = [:]
        for (ring, epoch) in rows {
            guard ring.count == KeyringDocument.ringIDLength, epoch > 0 else {
                throw LockstepError(
                    .tampered, "what the database remembers of its keyring cannot be right",
                    hint: "restore the database from a backup")
            }
            epochs[ring] = UInt64(epoch)
        }
        return epochs
    }

    /// Has no epoch of these rings be less than `epoch`; part of the transaction that is open.
    static func raise(
        _ rings: [[UInt8]], to epoch: UInt64, _ connection: borrowing Connection
    ) throws {
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS main.lockstep_keyring (
                ring BLOB PRIMARY KEY NOT NULL,
                epoch INTEGER NOT NULL
            ) WITHOUT ROWID
            """)
        let upsert = try connection.prepare(
            """
            INSERT INTO main.lockstep_keyring (ring, epoch) VALUES (?, ?)
            ON CONFLICT (ring) DO UPDATE SET epoch = max(epoch, excluded.epoch)
            """)
        for ring in rings { try upsert.run(ring, Int64(clamping: epoch)) }
    }
}
