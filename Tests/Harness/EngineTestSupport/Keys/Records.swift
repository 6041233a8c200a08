import SystemPackage

@testable import Lockstep

/// Made-up records of databases, as keyrings remember them.
enum Records {
    /// An id of one byte, repeated.
    static func id(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 16) }

    /// A record of a database to open, with a path that needs percent signs; the first of them knows none.
    static func file(_ database: [UInt8], _ number: UInt8 = 2) -> DatabaseRecord {
        DatabaseRecord(
            database: database, keyVersion: UInt32(number), salt: number == 1 ? nil : id(number + 100),
            seen: UInt64(number) - 1, path: number == 1 ? nil : FilePath("../Größe %/films-\(number).db"),
            origin: number == 2 ? nil : id(number))
    }

    /// The key of a file: its own, with a salt of one byte, or one that several can have.
    static func key(_ version: UInt32, of file: [UInt8]? = nil) throws -> FileKey {
        let entry = KeyringDocument.KeyEntry(
            kind: .database, version: version, state: .active, day: .today, commitment: [], wrapped: nil)
        return FileKey(entry: entry, file: file, salt: file.map { _ in id(77) })
    }

    /// A record of a database, with names that need percent signs. Without changes it has no columns.
    static func sealed(
        _ database: [UInt8], changes: UInt64 = 1,
        columns: [(table: String, name: String)] = [("movies", "title"), ("a b", "c.d"), ("Größe", "%")]
    ) -> SealedRecord {
        guard changes > 0 else { return SealedRecord(unsealed: database, seen: 3) }
        return SealedRecord(
            database: database, seen: changes % 3, registry: changes == 1 ? nil : id(5), changes: changes,
            code: [UInt8](repeating: UInt8(truncatingIfNeeded: changes), count: 32),
            lowestKey: UInt32(truncatingIfNeeded: changes), origin: changes == 2 ? id(6) : nil,
            columns: columns.enumerated().map { place, names in
                SealedRecord.Column(names.table, names.name, place == 0 ? nil : definition(UInt32(place)))
            })
    }

    /// What a registry says of a column.
    static func definition(_ number: UInt32) -> SealedRecord.Definition {
        let isOdd = number.isMultiple(of: 2) == false
        return SealedRecord.Definition(
            number: number, identity: isOdd ? nil : id(UInt8(truncatingIfNeeded: number)),
            mode: isOdd ? "random" : "deterministic", padding: isOdd ? 64 : 0, state: "sealed",
            rowKey: isOdd ? "key a %C3%A9" : nil,
            indexes: (1...number % 3 + 1).map {
                SealedRecord.Index(
                    number: $0, name: "token é \($0)", normaliser: "prefix-3", bits: 24 + $0, keyVersion: $0)
            })
    }
}
