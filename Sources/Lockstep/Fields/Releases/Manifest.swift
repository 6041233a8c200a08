// A manifest: a publisher's signed statement about one release of a dataset
// =========================================================================
//
// Strict text in lines, each ended by LF alone; printable ASCII; fields separated by single spaces; bytes in
// canonical unpadded base64 (RFC 4648), numbers in decimal without leading zeros. At most 1 MiB. In order:
//
//   lockstep-manifest/2
//   dataset <id:16>
//   release <number> <YYYY-MM-DD>
//   registry <changes> <mac:32>                      as in lockstep_dataset: see RegistryTables.swift
//   schema <definitions> <SHA-256:32>                every definition but the indexes listed below
//   table <name> <rows> <sealed:32> <all:32>         for each table with sealed columns, at least one ...
//   key <name>                                       ... the columns of its primary key, in the key's order
//   column <id> <name>                               ... its sealed columns, by their numbers, at least one
//   token <column> <number> <name>                   ... its token columns, by sealed column and index
//   plain <name>                                     ... its other stored columns, by their names' bytes
//   index <name> <SHA-256:32>                        ... its indexes with their own SQL, by their names' bytes
//   omits <words>                                    ``omissions``, one line for each
//   sig ed25519 <public key:32> <signature:64>       over all bytes above
//
// A release's number is 1 to 2^63 - 1, as is the number of changes; a column's and an index's is 1 to 2^32 - 1.
// In names, the characters A-Z, a-z, 0-9 and _ stand for themselves; any other byte of the UTF-8 is % and two
// uppercase hexadecimal digits. Tables are in ascending order of their names' bytes and never repeat; no column
// number appears twice.
//
// The digests of a table are SHA-256 over its rows. For each row, the first digest covers the key's values in the
// key's order, then the sealed columns' stored values in the order of their numbers; the second also covers the values
// of the token columns and of the plain columns, in the order of their lines. A value is
//
//   type (1) ‖ length (4, big-endian) ‖ bytes
//
//   00 NULL, of length 0 · 01 INTEGER, 8 bytes, big-endian · 02 REAL, 8 bytes, IEEE 754, big-endian ·
//   03 TEXT, in UTF-8 · 04 BLOB, the type of every cell
//
// The rows are in ascending order of their keys, value by value: NULL, then numbers by their value, then texts and
// then blobs by their bytes (SQLite's BINARY, for texts in the file's encoding). A table without a key is digested
// as a set: each row by itself, and then these digests in ascending order.
//
// A definition is a row of sqlite_schema; its type, name, tbl_name and sql are values as above. A line `index`
// has the digest of one definition; the line `schema` has the digest of all others as a set. Excluded are indexes
// without their own SQL, which the definition of their table implies; the engine's tables, whose names begin with
// lockstep_, with their indexes; and SQLite's own tables sqlite_sequence and sqlite_stat1 to 4. Values of STORED
// generated columns are covered like others; VIRTUAL ones are stored nowhere, and the schema contains their
// expressions.
//
// Version 1 has no lines schema, token, plain, index and omits, and one digest for each table: the first one. In it
// the rows of a table without a key are in the order of the sealed columns' values.

/// A publisher's signed statement about one release of a dataset: its rows, and its sealed values.
///
/// Anyone with a field key can make cells, and anyone who can open the database can delete rows or put older ones back.
/// Neither can sign. A manifest reveals such changes to any reader that has the publisher's public key; the reader
/// needs no field key. See ``check(_:publisher:dataset:minimum:progress:)``.
public struct Manifest: Sendable, Hashable {
    static let largest = 1_048_576

    /// The versions of the format.
    enum Version: Int, Sendable, CaseIterable {
        /// Covers keys and sealed columns.
        case first = 1
        /// Covers all columns of the tables, their indexes and the schema.
        case second

        var magic: String { "lockstep-manifest/\(rawValue)" }
    }

    /// The limits of every manifest. Each manifest of version 2 contains these lines.
    static let omissions = [
        "rows of tables without a sealed column",
        "tables of the engine and of SQLite: the ledger, the memory of keyrings, statistics",
        "rowids that no column names, values of VIRTUAL generated columns, and the header of the file",
        "whether an older copy of the whole file was put back",
    ]

    /// The additional limits of version 1.
    static let firstOmissions = [
        "columns that are neither sealed nor part of a key, including tokens of blind indexes",
        "indexes", "the schema: tables, views and triggers",
    ]

    let version: Version
    /// The 16-byte identifier of the dataset.
    public let dataset: [UInt8]
    /// The number of the release, greater than the previous one.
    public let number: UInt64
    /// The day of the release, in UTC.
    public let day: CalendarDay
    /// The number of changes to the registry of sealed columns at the release.
    public let registryChanges: UInt64
    /// The MAC of the registry of sealed columns.
    package let registryCode: [UInt8]
    /// The schema's definitions without the tables' indexes; nil in version 1.
    let schema: ManifestSchema?
    /// The tables with sealed columns.
    public let tables: [Table]
    let signature: SignatureLine

    /// A table of a release.
    public struct Table: Sendable, Hashable {
        /// Its name.
        @Exact public private(set) var name: String
        /// The number of its rows.
        public var rowCount: UInt64 { rows.count }
        /// The columns of its primary key.
        @Exact package private(set) var key: [String]
        package let columns: [Column]
        /// The columns that hold tokens; empty in version 1.
        package internal(set) var tokens: [Token] = []
        /// The names of its other stored columns; empty in version 1.
        @Exact public internal(set) var plainColumnNames: [String] = []
        /// Its indexes; empty in version 1.
        var indexes: [Index] = []
        package let rows: ManifestRows

        package struct Column: Sendable, Hashable {
            package let id: UInt32
            @Exact package private(set) var name: String
        }

        /// A column that holds the tokens of a blind index.
        package struct Token: Sendable, Hashable {
            /// The sealed column that is indexed.
            package let column: UInt32
            /// The index's number among those of the column.
            package let number: UInt32
            @Exact package private(set) var name: String
        }

        struct Index: Sendable, Hashable {
            @Exact private(set) var name: String
            /// The digest of its definition.
            let digest: [UInt8]
        }

        /// The names of its sealed columns.
        public var columnNames: [String] { columns.map(\.name) }
        /// The names of the columns that hold tokens of blind indexes; empty in version 1.
        public var tokenColumnNames: [String] { tokens.map(\.name) }
        /// The names of its indexes; empty in version 1.
        public var indexNames: [String] { indexes.map(\.name) }

        /// The columns that only the second digest covers.
        package var otherNames: [String] { tokenColumnNames + plainColumnNames }
    }

    /// The version of the manifest's format, 1 or 2.
    public var formatVersion: Int { version.rawValue }

    /// The number of covered definitions in the schema, without the tables' indexes; nil in version 1.
    public var definitionCount: UInt64? { schema?.count }

    /// The manifest's limits, as text.
    public var notCovered: [String] {
        (version == .first ? Self.firstOmissions : []) + Self.omissions
    }

    /// The publisher that the signature line names. The signature was not verified:
    /// ``check(_:publisher:dataset:minimum:progress:)`` does that.
    public var publisher: Publisher { signature.publisher }

    /// The manifest's text.
    public var text: String {
        String(decoding: textAboveSignature + Array("\(signature.text)\n".utf8), as: UTF8.self)
    }

    /// Whether the publisher that the manifest names signed it.
    package func isSigned() throws(LockstepError) -> Bool { try signature.isOf(textAboveSignature) }

    var textAboveSignature: [UInt8] {
        Statement(
            version: version, dataset: dataset, number: number, day: day, registryChanges: registryChanges,
            registryCode: registryCode, schema: schema, tables: tables
        ).text
    }

    /// The signed part.
    struct Statement {
        let version: Version
        let dataset: [UInt8]
        let number: UInt64
        let day: CalendarDay
        let registryChanges: UInt64
        let registryCode: [UInt8]
        let schema: ManifestSchema?
        let tables: [Table]

        var text: [UInt8] {
            var lines = [
                version.magic, "dataset \(Base64.encode(dataset))", "release \(number) \(day)",
                "registry \(registryChanges) \(Base64.encode(registryCode))",
            ]
            if let schema { lines.append("schema \(schema.count) \(Base64.encode(schema.digest))") }
            for table in tables { lines += table.lines }
            if version == .second { lines += Manifest.omissions.map { "omits \($0)" } }
            return lines.flatMap { Array($0.utf8) + [UInt8(ascii: "\n")] }
        }
    }

    init(_ statement: Statement, _ signature: SignatureLine) {
        version = statement.version
        dataset = statement.dataset
        number = statement.number
        day = statement.day
        registryChanges = statement.registryChanges
        registryCode = statement.registryCode
        schema = statement.schema
        tables = statement.tables
        self.signature = signature
    }
}

extension Manifest.Table {
    /// Its lines in the manifest's text. Everything that version 1 does not have is empty there.
    fileprivate var lines: [String] {
        let digests = ([rows.digest] + (rows.wholeDigest.map { [$0] } ?? [])).map(Base64.encode)
        var lines = ["table \(PercentEncodedName.encode(name)) \(rowCount) \(digests.joined(separator: " "))"]
        lines += key.map { "key \(PercentEncodedName.encode($0))" }
        lines += columns.map { "column \($0.id) \(PercentEncodedName.encode($0.name))" }
        lines += tokens.map {
            "token \($0.column) \($0.number) \(PercentEncodedName.encode($0.name))"
        }
        lines += plainColumnNames.map { "plain \(PercentEncodedName.encode($0))" }
        lines += indexes.map {
            "index \(PercentEncodedName.encode($0.name)) \(Base64.encode($0.digest))"
        }
        return lines
    }
}
