// A manifest: what a publisher says of one release of a dataset
// =============================================================
//
// Strict text in lines, each ended by LF alone; printable ASCII; fields parted by single spaces; bytes are
// canonical unpadded base64 (RFC 4648), numbers decimal without leading zeros. At most 1 MiB. In order:
//
//   lockstep-manifest/1
//   dataset <id:16>
//   release <number> <YYYY-MM-DD>
//   registry <changes> <mac:32>                      what lockstep_dataset says: see RegistryTables.swift
//   table <name> <rows> <SHA-256:32>                 for each table with sealed columns, at least one ...
//   key <name>                                       ... the columns of its primary key, in the key's order
//   column <id> <name>                               ... its sealed columns, by their numbers, at least one
//   sig ed25519 <public key:32> <signature:64>       over all bytes above
//
// A release's number is 1 to 2^63 - 1, and so is the number of changes; a column's is 1 to 2^32 - 1. In names the
// characters A-Z, a-z, 0-9 and _ stand for themselves, and each other byte of the UTF-8 as % and two hexadecimal
// digits in upper case. Tables are in the ascending order of their names' bytes, none twice; no column's number
// stands twice.
//
// The digest of a table is SHA-256 over its rows, each of them its key's values in the key's order and then its
// sealed columns' values, as they are stored, in the order of their numbers. A value is
//
//   type (1) ‖ length (4, big-endian) ‖ bytes
//
//   00 NULL, of length 0 · 01 INTEGER, 8 bytes, big-endian · 02 REAL, 8 bytes, IEEE 754, big-endian ·
//   03 TEXT, in UTF-8 · 04 BLOB, as every cell is
//
// The rows are in ascending order of their keys, value by value: NULL, then numbers by their value, then texts and
// then blobs by their bytes (SQLite's BINARY, of texts in the file's encoding). Without a key, which only a table has whose cells are bound to no row, they are in the order of the
// sealed columns' values.
//
// What stands in columns that are not sealed, but for the key, is not covered; nor are tables without any.

/// A publisher's signed statement of one release of a dataset: which rows it has, and what is sealed in them.
///
/// Who holds a field key can make cells, and who can open the database can delete rows and put older ones back.
/// Neither can sign: a manifest shows all that to whoever knows the publisher's public key, and needs no field
/// key. See ``check(_:publisher:dataset:least:)``.
public struct Manifest: Sendable, Hashable {
    static let magic = "lockstep-manifest/1"
    static let largest = 1_048_576

    /// The 16-byte identifier of the dataset.
    public let dataset: [UInt8]
    /// The number of the release; each is greater than the one before.
    public let number: UInt64
    /// The day on which it was made, in UTC.
    public let day: CalendarDay
    /// How many times what the database says of its sealed columns had been changed.
    public let registryChanges: UInt64
    /// The code of what the database says of its sealed columns.
    let registryCode: [UInt8]
    /// The tables with sealed columns.
    public let tables: [Table]
    let signature: SignatureLine

    /// A table of a release.
    public struct Table: Sendable, Hashable {
        /// Its name.
        public let name: String
        /// How many rows it has.
        public var rowCount: UInt64 { rows.count }
        /// The columns of its primary key.
        let key: [String]
        let columns: [Column]
        let rows: ManifestRows

        struct Column: Sendable, Hashable {
            let id: UInt32
            let name: String
        }

        /// The names of its sealed columns.
        public var columnNames: [String] { columns.map(\.name) }
    }

    /// Who says to have signed it. That it is so was not checked: ``check(_:publisher:dataset:least:)`` does.
    public var publisher: Publisher { signature.publisher }

    /// The manifest as it is written and signed.
    public var text: String {
        String(decoding: textAboveSignature + Array("\(signature.text)\n".utf8), as: UTF8.self)
    }

    /// Whether the publisher that it names has signed it.
    func isSigned() throws(LockstepError) -> Bool { try signature.isOf(textAboveSignature) }

    var textAboveSignature: [UInt8] {
        Statement(
            dataset: dataset, number: number, day: day, registryChanges: registryChanges,
            registryCode: registryCode, tables: tables
        ).text
    }

    /// All that is signed.
    struct Statement {
        let dataset: [UInt8]
        let number: UInt64
        let day: CalendarDay
        let registryChanges: UInt64
        let registryCode: [UInt8]
        let tables: [Table]

        var text: [UInt8] {
            var lines = [
                Manifest.magic, "dataset \(Base64.encode(dataset))", "release \(number) \(day)",
                "registry \(registryChanges) \(Base64.encode(registryCode))",
            ]
            for table in tables {
                lines.append(
                    "table \(SpelledName.encode(table.name)) \(table.rowCount) "
                        + Base64.encode(table.rows.digest))
                lines += table.key.map { "key \(SpelledName.encode($0))" }
                lines += table.columns.map { "column \($0.id) \(SpelledName.encode($0.name))" }
            }
            return lines.flatMap { Array($0.utf8) + [UInt8(ascii: "\n")] }
        }
    }

    init(_ statement: Statement, _ signature: SignatureLine) {
        dataset = statement.dataset
        number = statement.number
        day = statement.day
        registryChanges = statement.registryChanges
        registryCode = statement.registryCode
        tables = statement.tables
        self.signature = signature
    }
}
