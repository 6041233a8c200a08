extension SealedRecord {
    /// A column, identified by its table and name.
    public struct Column: Sendable, Hashable {
        /// The table's name.
        @Exact public private(set) var table: String
        /// The column's name.
        @Exact public private(set) var name: String
        /// What is needed to make its entry in the registry again; nil where only the name is known.
        let definition: Definition?

        /// The column's name in messages: `movies.title`.
        public var title: String { "\(table).\(name)" }

        /// The column's name in a keyring: unique for every column, whatever characters the names contain.
        var spelling: String {
            "\(PercentEncodedName.encode(table)).\(PercentEncodedName.encode(name))"
        }

        init(_ table: String, _ name: String, _ definition: Definition? = nil) {
            (self.table, self.name, self.definition) = (table, name, definition)
        }
    }

    /// What the registry says of a column. Words are as in the registry, whose reader checks their meaning.
    struct Definition: Sendable, Hashable {
        /// Its number in the dataset, 1 or more.
        let number: UInt32
        /// Its identity, 16 bytes; nil for a column whose cells are bound to the number.
        let identity: [UInt8]?
        @Exact private(set) var mode: String
        /// The unit of its padding; 0 for none.
        let padding: UInt32
        @Exact private(set) var state: String
        /// The primary key that its cells are bound to, in the registry's spelling; nil if there is none.
        @Exact private(set) var rowKey: String?
        /// Its blind indexes, by their numbers.
        var indexes: [Index]
    }

    /// What the registry says of a blind index.
    struct Index: Sendable, Hashable {
        /// Its number among all indexes that the column ever had, 1 or more.
        let number: UInt32
        /// The column that holds its tokens.
        @Exact private(set) var name: String
        @Exact private(set) var normaliser: String
        let bits: UInt32
        let keyVersion: UInt32
    }
}

extension SealedRecord.Column {
    /// Its lines in a keyring.
    var lines: [String] {
        guard let definition else { return ["column 0 - \(spelling)"] }
        let identity = definition.identity.map { Base64.encode($0) } ?? "-"
        return [
            "column \(definition.number) \(identity) \(spelling) \(definition.mode)"
                + " \(definition.padding) \(definition.state) \(definition.rowKey ?? "-")"
        ] + definition.indexes.map(\.line)
    }

    /// Parses a column's line and those of its indexes.
    init(from text: inout CanonicalText) throws(LockstepError) {
        let parts = text.fields(try text.take("a column"))
        guard parts.count == 4 || parts.count >= 8 else {
            throw text.bad("the line of a sealed column is malformed")
        }
        let number = try text.number(parts[1], 0...UInt64(UInt32.max), "a column's number")
        guard (number == 0) == (parts.count == 4), number > 0 || parts[2] == "-" else {
            throw text.bad("a column without a number has only its name, and every other has more")
        }
        let known = try Self(spelled: parts[3], of: text)
        guard number > 0 else {
            self = known
            return
        }
        let identity =
            parts[2] == "-" ? nil : try text.base64(parts[2], 16, "a column's identity")
        guard PlainName.isValid(parts[4]), PlainName.isValid(parts[6]) else {
            throw text.bad("a column's mode or state is malformed")
        }
        var definition = SealedRecord.Definition(
            number: UInt32(number), identity: identity, mode: String(parts[4]),
            padding: UInt32(try text.number(parts[5], 0...UInt64(UInt32.max), "a padding")),
            state: String(parts[6]), rowKey: try Self.rowKey(parts[7...], text), indexes: [])
        while let line = text.peek(), line.begins(with: "index ") {
            let index = try SealedRecord.Index(text.take("an index"), of: text)
            guard definition.indexes.last?.number ?? 0 < index.number else {
                throw text.bad("a column's indexes must be in the order of their numbers")
            }
            definition.indexes.append(index)
        }
        self.init(known.table, known.name, definition)
    }

    /// Parses `table.column`.
    init(spelled part: Substring, of text: CanonicalText) throws(LockstepError) {
        let names = part.split(separator: ".", omittingEmptySubsequences: false)
        guard names.count == 2, let table = PercentEncodedName.decode(names[0]),
            let name = PercentEncodedName.decode(names[1]), !table.isEmpty, !name.isEmpty
        else { throw text.bad("a sealed column must be written as table.column") }
        self.init(table, name)
    }

    /// `-`, or a word and names.
    private static func rowKey(
        _ parts: ArraySlice<Substring>, _ text: CanonicalText
    ) throws(LockstepError) -> String? {
        if Array(parts) == ["-"] { return nil }
        guard parts.count > 1, parts.first == "key" || (parts.first == "row" && parts.count == 2),
            parts.dropFirst().allSatisfy({ PercentEncodedName.decode($0)?.isEmpty == false })
        else { throw text.bad("a column's primary key is malformed") }
        return parts.joined(separator: " ")
    }
}

extension SealedRecord.Index {
    /// Its line in a keyring.
    var line: String {
        "index \(number) \(PercentEncodedName.encode(name)) \(normaliser) \(bits) \(keyVersion)"
    }

    /// Parses the line that was last taken from `text`.
    init(_ line: Substring, of text: CanonicalText) throws(LockstepError) {
        let parts = text.fields(line)
        guard parts.count == 6, parts[0] == "index" else {
            throw text.bad("the line of an index is malformed")
        }
        guard let name = PercentEncodedName.decode(parts[2]), !name.isEmpty,
            PlainName.isValid(parts[3])
        else { throw text.bad("an index's name or normaliser is malformed") }
        let largest = UInt64(UInt32.max)
        number = UInt32(try text.number(parts[1], 1...largest, "an index's number"))
        (self.name, normaliser) = (name, String(parts[3]))
        bits = UInt32(try text.number(parts[4], 1...256, "an index's bits"))
        keyVersion = UInt32(try text.number(parts[5], 1...largest, "a key's version"))
    }
}
