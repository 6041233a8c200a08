/// A schema object: its kind, the root of its b-tree, and the SQL that creates it.
struct SchemaObject: Equatable {
    enum Kind: String {
        case table, index, view, trigger
    }

    let kind: Kind
    @Exact private(set) var name: String
    /// The table that it belongs to, itself for a table; nil if it is unknown.
    @Exact private(set) var table: String?
    /// Nil if it is unknown; 0 for an object without a b-tree.
    private(set) var root: UInt32?
    /// Nil for the indexes that SQLite creates for constraints.
    @Exact private(set) var sql: String?
    let isVirtual: Bool

    /// Whether SQLite creates it by itself, as SQL cannot.
    var isInternal: Bool { SQLName(name).hasPrefix("sqlite_") }

    /// An object whose root is unknown, from the statement that creates it.
    /// - Throws: ``LockstepError/Code/misuse`` for anything but CREATE TABLE, INDEX, VIEW or TRIGGER.
    init(statement sql: String) throws {
        guard let head = Self.head(of: sql) else {
            throw LockstepError(
                .misuse,
                "the schema for a salvage contains something other than a CREATE statement: " + SQLTokens.redact(sql),
                hint: "give one CREATE TABLE, INDEX, VIEW or TRIGGER per entry, in the form "
                    + "that `sqlite_schema` has"
            )
        }
        kind = head.kind
        name = head.name
        isVirtual = head.isVirtual
        table = nil
        root = nil
        self.sql = sql
    }

    /// Drops a root that cannot be this object's alone.
    mutating func forgetRoot() { root = nil }

    /// A row of `sqlite_schema`; nil unless all of its values are consistent, which hardly happens by chance.
    init?(_ row: [StoredValue], _ encoding: TextEncoding) {
        func text(_ index: Int) -> String? {
            guard case .text(let bytes) = row[index] else { return nil }
            return encoding.text(bytes)
        }
        guard row.count == 5, let type = text(0), let kind = Kind(rawValue: type),
            let name = text(1), let table = text(2)
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
            guard let head = Self.head(of: sql), head.kind == kind, head.name.hasSameBytes(as: name)
            else {
                return nil
            }
            isVirtual = head.isVirtual
        } else {
            guard row[4] == .null, kind == .index else { return nil }
        }
        self.kind = kind
        self.name = name
        self.table = table
        self.root = root
        self.sql = sql
        self.isVirtual = isVirtual
    }

    /// Kind and name of the object that a statement creates. SQLite stores every definition in one form,
    /// without TEMP, IF NOT EXISTS or the schema's name, and a table's never as a query.
    private static func head(
        of sql: String
    ) -> (kind: Kind, name: String, isVirtual: Bool)? {
        let bytes = Array(sql.utf8)
        guard bytes.allSatisfy({ $0 >= 0x20 || (0x09...0x0D).contains($0) }) else { return nil }
        var cursor = SQLCursor(bytes, limit: 5)
        guard cursor.take("create") else { return nil }
        let isVirtual = cursor.take("virtual")
        let isUnique = cursor.take("unique")
        guard let word = try? cursor.next().word, let kind = Kind(rawValue: word), !isVirtual || kind == .table,
            !isUnique || kind == .index, let name = try? cursor.next().name,
            kind != .table || cursor.take(isVirtual ? "using" : "(")
        else { return nil }
        return (kind, name.spelling, isVirtual)
    }
}
