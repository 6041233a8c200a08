/// An object of a schema: what it is, where its b-tree begins, and the SQL that makes it.
struct SchemaObject: Equatable {
    enum Kind: String {
        case table, index, view, trigger
    }

    let kind: Kind
    let name: String
    /// Nil if it is not known; 0 for what has no b-tree.
    let root: UInt32?
    /// Nil for the indexes that SQLite makes for constraints.
    let sql: String?
    let isVirtual: Bool

    /// Whether SQLite makes it by itself; SQL cannot.
    var isInternal: Bool { name.asciiLowercased.hasPrefix("sqlite_") }

    /// An object whose root is not known, from the statement that makes it.
    /// - Throws: ``LockstepError/Code/misuse`` for anything but CREATE TABLE, INDEX, VIEW or TRIGGER.
    init(statement sql: String) throws {
        guard let head = Self.head(of: sql) else {
            throw LockstepError(
                .misuse,
                "the schema for a salvage holds what is no CREATE statement of it: "
                    + SQLTokens.redact(sql),
                hint:
                    "give one CREATE TABLE, INDEX, VIEW or TRIGGER each, as `sqlite_schema` has them"
            )
        }
        kind = head.kind
        name = head.name
        isVirtual = head.isVirtual
        root = nil
        self.sql = sql
    }

    /// A row of `sqlite_schema`; nil unless everything in it fits together, as it hardly does by chance.
    init?(_ row: [StoredValue], _ encoding: TextEncoding) {
        func text(_ index: Int) -> String? {
            guard case .text(let bytes) = row[index] else { return nil }
            return encoding.text(bytes)
        }
        guard row.count == 5, let type = text(0), let kind = Kind(rawValue: type),
            let name = text(1), text(2) != nil
        else { return nil }
        var root: UInt32 = 0
        if case .integer(let number) = row[3] {
            guard let page = UInt32(exactly: number) else { return nil }
            root = page
        } else if row[3] != .null {
            return nil
        }
        let sql = text(4)
        var isVirtual = false
        if let sql {
            guard let head = Self.head(of: sql), head.kind == kind, head.name == name else {
                return nil
            }
            isVirtual = head.isVirtual
        } else {
            guard row[4] == .null, kind == .index else { return nil }
        }
        self.kind = kind
        self.name = name
        self.root = root
        self.sql = sql
        self.isVirtual = isVirtual
    }

    /// Kind and name of what a statement creates. SQLite writes every definition down in one form,
    /// without TEMP, IF NOT EXISTS or the schema's name, and a table's never as a query.
    private static func head(
        of sql: String
    ) -> (kind: Kind, name: String, isVirtual: Bool)? {
        let bytes = Array(sql.utf8)
        guard bytes.allSatisfy({ $0 >= 0x20 || (0x09...0x0D).contains($0) }) else { return nil }
        var tokens = SQLTokens(sql).lazy.filter { $0.kind != .space && $0.kind != .comment }
            .prefix(5).map { String(decoding: bytes[$0.range], as: UTF8.self) }.makeIterator()
        guard tokens.next()?.asciiLowercased == "create" else { return nil }
        var word = tokens.next()?.asciiLowercased ?? ""
        let isVirtual = word == "virtual"
        let isUnique = word == "unique"
        if isVirtual || isUnique { word = tokens.next()?.asciiLowercased ?? "" }
        guard let kind = Kind(rawValue: word), !isVirtual || kind == .table,
            !isUnique || kind == .index, let name = tokens.next()
        else { return nil }
        if kind == .table {
            guard tokens.next()?.asciiLowercased == (isVirtual ? "using" : "(") else { return nil }
        }
        return (kind, SQLTokens.unquote(name), isVirtual)
    }
}
