// Repairs of the ledger: the table lockstep_repair
// ================================================
//
// A row for each version whose record was replaced by that of its edited file (see Repair.swift). It is a note for
// people: nothing is decided from it, and it has no MAC. The row of the ledger has one, as before.
//
//   position         order of the repairs, ascending from 1
//   set, version     the version, as it is recorded since
//   former_name      the name that the ledger recorded before; with the version and `_` before it if that was another, and
//                    with the set and `/` before that if that was another
//   former_checksum  the SHA-256 of the file that it recorded before
//   checksum         the SHA-256 of the file that it records since
//   repaired_at      microseconds since 1970-01-01T00:00:00Z
//   tool_version     of the Lockstep that did it

/// A version whose record in the ledger was replaced by that of its edited file.
public struct LedgerRepair: Sendable, Equatable {
    /// The name of its set.
    public let set: String
    /// Its version.
    public let version: MigrationVersion
    /// The name that the ledger recorded before; with the version and `_` before it if that was another, and with the set and
    /// `/` before that if that was another.
    public let formerName: String
    /// The SHA-256 of the file that the ledger recorded before, 32 bytes.
    public let formerChecksum: [UInt8]
    /// The SHA-256 of the file that it records since, 32 bytes.
    public let checksum: [UInt8]
    /// When, in microseconds since 1970-01-01T00:00:00Z.
    public let repairedAt: Int64
    /// The version of Lockstep that did it.
    public let toolVersion: String
}

extension StoredTable {
    fileprivate static let repairs = StoredTable(
        EngineTables.repairs,
        [
            .init("position", .integer), .init("set", .text), .init("version", .text), .init("former_name", .text),
            .init("former_checksum", .bytes), .init("checksum", .bytes), .init("repaired_at", .integer),
            .init("tool_version", .text),
        ], key: ["position"], invalid: LedgerRows.invalid("list of repairs"))
}

extension Ledger {
    /// The repairs of the ledger, in their order. They are notes for people: anyone with the database's key can write
    /// them.
    /// - Throws: ``LockstepError/Code/tampered`` for a row that Lockstep did not write.
    public static func repairs(_ connection: borrowing Connection) throws -> [LedgerRepair] {
        let found = try (connection.rows(of: .repairs, with: nil) ?? []).map { row in
            LedgerRepair(
                set: try row[1], version: try row.version(2), formerName: try row[3], formerChecksum: try row[4],
                checksum: try row[5], repairedAt: try row[6], toolVersion: try row[7])
        }
        guard found.allSatisfy({ $0.formerChecksum.count == 32 && $0.checksum.count == 32 }) else {
            throw StoredTable.repairs.invalid("an invalid checksum of a repair")
        }
        return found
    }

    /// Replaces the record of an applied version by that of its file, and notes that. Within the open transaction and
    /// with the engine's rights. Position and times stay.
    /// - Parameter set: The name of its set now.
    static func replace(
        _ entry: LedgerEntry, by migration: Migration, of set: String, _ connection: borrowing Connection
    ) throws {
        var new = LedgerEntry(
            set: set, version: migration.version, name: migration.name, checksums: migration.checksums,
            down: migration.recordedDown, appliedAt: entry.appliedAt, duration: entry.duration,
            toolVersion: entry.toolVersion, position: entry.position)
        new.code = try LedgerCodes(connection).code(for: new)
        try connection.delete(from: .ledger, where: [("position", .integer(entry.position))])
        try LedgerRows.write(new, connection)
        try connection.make(.repairs)
        let version = new.version == entry.version ? "" : "\(entry.version)_"
        let former = ExactText(set) == ExactText(entry.set) ? "" : "\(entry.set)/"
        try connection.insert(
            [
                .null, .text(set), .text(new.version.description), .text(former + version + entry.name),
                .blob(entry.checksums.bytes), .blob(new.checksums.bytes), .integer(Clock.microsecondsSinceEpoch),
                .text(LockstepVersion.current),
            ], into: .repairs)
    }
}
