/// Reads a manifest's text by the rules in Manifest.swift, and by nothing looser.
struct ManifestParser {
    private var text: StrictLines

    /// - Throws: ``LockstepError/Code/manifestMalformed``.
    static func parse(_ bytes: [UInt8]) throws(LockstepError) -> Manifest {
        let text = try StrictLines(bytes, limit: Manifest.largest) { what, line in
            let place = line.map { "line \($0) of the manifest" } ?? "the manifest"
            return LockstepError(
                .manifestMalformed, "\(place) breaks the format: \(what)",
                hint: "somebody changed it; ask its publisher for the release")
        }
        var parser = ManifestParser(text: text)
        return try parser.run()
    }

    private mutating func run() throws(LockstepError) -> Manifest {
        guard try text.take("the format's name") == Manifest.magic else {
            throw text.bad("it is no manifest that this version reads")
        }
        let dataset = try fields("dataset", 2)
        let id = try text.base64(dataset[1], 16, "the dataset's identifier")
        let release = try fields("release", 3)
        let number = try text.number(release[1], Self.counter, "the release")
        guard let day = CalendarDay(release[2]) else { throw text.bad("the date is no day") }
        let registry = try fields("registry", 3)
        let changes = try text.number(registry[1], Self.counter, "the number of changes")
        let code = try text.base64(registry[2], 32, "the registry's code")
        var tables: [Manifest.Table] = []
        while let line = text.peek(), line.hasPrefix("table ") { tables.append(try table()) }
        try checkOrder(tables)
        let signature = try SignatureLine(text.take("the signature"), of: text)
        guard text.isAtEnd else { throw text.bad("something follows the signature") }
        return Manifest(
            Manifest.Statement(
                dataset: id, number: number, day: day, registryChanges: changes,
                registryCode: code, tables: tables), signature)
    }

    private static let counter = 1...UInt64(Int64.max)

    private mutating func table() throws(LockstepError) -> Manifest.Table {
        let parts = try fields("table", 4)
        let name = try name(parts[1])
        let rows = ManifestRows(
            count: try text.number(parts[2], 0...UInt64(Int64.max), "the number of rows"),
            digest: try text.base64(parts[3], 32, "the digest"))
        var key: [String] = []
        while let line = text.peek(), line.hasPrefix("key ") {
            key.append(try self.name(fields("key", 2)[1]))
        }
        var columns: [Manifest.Table.Column] = []
        while let line = text.peek(), line.hasPrefix("column ") {
            let parts = try fields("column", 3)
            let id = UInt32(try text.number(parts[1], 1...UInt64(UInt32.max), "a column's number"))
            guard id > columns.last?.id ?? 0 else { throw text.bad("the columns are out of order") }
            columns.append(Manifest.Table.Column(id: id, name: try self.name(parts[2])))
        }
        guard !columns.isEmpty else { throw text.bad("the table has no sealed column") }
        return Manifest.Table(name: name, key: key, columns: columns, rows: rows)
    }

    private func checkOrder(_ tables: [Manifest.Table]) throws(LockstepError) {
        guard !tables.isEmpty else { throw text.bad("there is no table") }
        for (one, next) in zip(tables, tables.dropFirst())
        where ExactText(one.name) >= ExactText(next.name) {
            throw text.bad("the tables are out of order")
        }
        let ids = tables.flatMap { $0.columns.map(\.id) }
        guard Set(ids).count == ids.count else { throw text.bad("a column stands twice") }
    }

    /// The fields of the next line, which begins with `word`.
    private mutating func fields(
        _ word: String, _ count: Int
    ) throws(LockstepError) -> [Substring] {
        let parts = text.fields(try text.take("the line “\(word)”"))
        guard parts.count == count, parts[0] == word else {
            throw text.bad("the line “\(word)” is due")
        }
        return parts
    }

    private func name(_ text: Substring) throws(LockstepError) -> String {
        guard let name = SpelledName.decode(text), !name.isEmpty else {
            throw self.text.bad("that is no name")
        }
        return name
    }
}

extension Manifest {
    /// Reads a manifest's text. That its signature is right was not checked.
    /// - Throws: ``LockstepError/Code/manifestMalformed``.
    public init(_ text: String) throws(LockstepError) {
        self = try ManifestParser.parse(Array(text.utf8))
    }
}
