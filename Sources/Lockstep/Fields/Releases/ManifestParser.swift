/// Parses a manifest's text strictly by the rules in Manifest.swift.
package struct ManifestParser {
    private var text: CanonicalText
    private let version: Manifest.Version

    /// - Throws: ``LockstepError/Code/manifestMalformed``.
    package static func parse(_ bytes: [UInt8]) throws(LockstepError) -> Manifest {
        var text = try CanonicalText(bytes, limit: Manifest.largest) { what, line in
            let place = line.map { "line \($0) of the manifest" } ?? "the manifest"
            return LockstepError(
                .manifestMalformed, "\(place) breaks the format: \(what)",
                hint: "somebody changed it; get the release from its publisher again", context: .init(line: line))
        }
        let magic = try text.take("the format's name")
        guard let version = Manifest.Version.allCases.first(where: { $0.magic == magic }) else {
            throw text.bad("not a manifest that this version can read")
        }
        var parser = ManifestParser(text: text, version: version)
        return try parser.run()
    }

    private mutating func run() throws(LockstepError) -> Manifest {
        let dataset = try fields("dataset", 2)
        let id = try text.base64(dataset[1], 16, "the dataset's identifier")
        let release = try fields("release", 3)
        let number = try text.number(release[1], Self.counter, "the release")
        guard let day = CalendarDay(release[2]) else { throw text.bad("the date is not valid") }
        let registry = try fields("registry", 3)
        let changes = try text.number(registry[1], Self.counter, "the number of changes")
        let code = try text.base64(registry[2], 32, "the registry's MAC")
        let schema = version == .first ? nil : try schema()
        var tables: [Manifest.Table] = []
        while isNext("table") { tables.append(try table()) }
        try checkOrder(tables)
        if version == .second { try checkOmissions() }
        let signature = try SignatureLine(text.take("the signature"), of: text)
        guard text.isAtEnd else { throw text.bad("something follows the signature") }
        return Manifest(
            Manifest.Statement(
                version: version, dataset: id, number: number, day: day, registryChanges: changes,
                registryCode: code, schema: schema, tables: tables), signature)
    }

    private static let counter = 1...UInt64(Int64.max)

    private mutating func schema() throws(LockstepError) -> ManifestSchema {
        let parts = try fields("schema", 3)
        return ManifestSchema(
            count: try text.number(parts[1], Self.counter, "the number of definitions"),
            digest: try text.base64(parts[2], 32, "the digest"))
    }

    private mutating func table() throws(LockstepError) -> Manifest.Table {
        let parts = try fields("table", version == .first ? 4 : 5)
        let name = try name(parts[1])
        let rows = ManifestRows(
            count: try text.number(parts[2], 0...UInt64(Int64.max), "the number of rows"),
            digest: try text.base64(parts[3], 32, "the digest"),
            wholeDigest: version == .first ? nil : try text.base64(parts[4], 32, "the digest"))
        var key: [String] = []
        while isNext("key") { key.append(try self.name(fields("key", 2)[1])) }
        var columns: [Manifest.Table.Column] = []
        while isNext("column") {
            let parts = try fields("column", 3)
            let id = try identifier(parts[1], "a column's number")
            guard id > columns.last?.id ?? 0 else { throw text.bad("the columns are out of order") }
            columns.append(Manifest.Table.Column(id: id, name: try self.name(parts[2])))
        }
        guard !columns.isEmpty else { throw text.bad("the table has no sealed column") }
        var table = Manifest.Table(name: name, key: key, columns: columns, rows: rows)
        guard version == .second else { return table }
        table.tokens = try tokens(of: columns)
        while isNext("plain") {
            table.plainColumnNames.append(try self.name(fields("plain", 2)[1]))
            try checkOrder(of: table.plainColumnNames, "plain columns")
        }
        while isNext("index") {
            let parts = try fields("index", 3)
            table.indexes.append(
                Manifest.Table.Index(name: try self.name(parts[1]), digest: try text.base64(parts[2], 32, "the digest"))
            )
            try checkOrder(of: table.indexNames, "indexes")
        }
        return table
    }

    private mutating func tokens(
        of columns: [Manifest.Table.Column]
    ) throws(LockstepError) -> [Manifest.Table.Token] {
        var tokens: [Manifest.Table.Token] = []
        while isNext("token") {
            let parts = try fields("token", 4)
            let token = Manifest.Table.Token(
                column: try identifier(parts[1], "a column's number"),
                number: try identifier(parts[2], "an index's number"), name: try name(parts[3]))
            guard columns.contains(where: { $0.id == token.column }) else {
                throw text.bad("the table has no sealed column with this number")
            }
            if let last = tokens.last, (last.column, last.number) >= (token.column, token.number) {
                throw text.bad("the tokens are out of order")
            }
            tokens.append(token)
        }
        return tokens
    }

    /// Each manifest lists its omissions in the same words.
    private mutating func checkOmissions() throws(LockstepError) {
        for omission in Manifest.omissions {
            guard try text.take("the line “omits”") == "omits \(omission)" else {
                throw text.bad("the list of omissions is not the expected one")
            }
        }
    }

    /// Checks the order of the last name, after all others were checked.
    private func checkOrder(of names: [String], _ what: String) throws(LockstepError) {
        let last = names.suffix(2).map { ExactText($0) }
        guard last.count < 2 || last[0] < last[1] else {
            throw text.bad("the \(what) are out of order")
        }
    }

    private func checkOrder(_ tables: [Manifest.Table]) throws(LockstepError) {
        guard !tables.isEmpty else { throw text.bad("the manifest has no table") }
        for (one, next) in zip(tables, tables.dropFirst()) where ExactText(one.name) >= ExactText(next.name) {
            throw text.bad("the tables are out of order")
        }
        let ids = tables.flatMap { $0.columns.map(\.id) }
        guard Set(ids).count == ids.count else { throw text.bad("a column appears twice") }
    }

    /// Whether the next line begins with `word`.
    private func isNext(_ word: String) -> Bool { text.peek()?.begins(with: "\(word) ") == true }

    /// The fields of the next line, which begins with `word`.
    private mutating func fields(
        _ word: String, _ count: Int
    ) throws(LockstepError) -> [Substring] {
        let parts = text.fields(try text.take("the line “\(word)”"))
        guard parts.count == count, parts[0] == word else {
            throw text.bad("expected the line “\(word)”")
        }
        return parts
    }

    private func identifier(_ text: Substring, _ what: String) throws(LockstepError) -> UInt32 {
        UInt32(try self.text.number(text, 1...UInt64(UInt32.max), what))
    }

    private func name(_ text: Substring) throws(LockstepError) -> String {
        guard let name = PercentEncodedName.decode(text), !name.isEmpty else {
            throw self.text.bad("not a valid name")
        }
        return name
    }
}

extension Manifest {
    /// Parses a manifest's text without verifying its signature.
    /// - Throws: ``LockstepError/Code/manifestMalformed``.
    public init(_ text: String) throws(LockstepError) {
        self = try ManifestParser.parse(Array(text.utf8))
    }
}
