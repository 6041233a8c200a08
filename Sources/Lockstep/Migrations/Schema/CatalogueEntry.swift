/// A row of the schema, with the facts about its SQL that the guard needs.
final class CatalogueEntry {
    enum Kind: Equatable {
        case table
        /// A virtual table. It does not own its rows if it is a full-text index over another table.
        case virtualTable(ownsRows: Bool, isKnown: Bool)
        /// A table with the content of a virtual table.
        case shadowTable
        case index(isUnique: Bool)
        case view, trigger
    }

    let rowID: Int64
    let kind: Kind
    let name: SQLName
    /// The table that this object is or belongs to.
    let table: SQLName
    let rootPage: Int64
    let sql: String
    /// The same SQL as bytes, for comparison.
    let sqlBytes: [UInt8]
    /// All names, words and strings in the SQL of a view, trigger or virtual table.
    let words: Set<SQLName>
    /// Whether it can have foreign keys.
    let hasReferences: Bool
    /// Whether it can be a table with columns that are computed on reading.
    let mayCompute: Bool
    /// Whether it can remove rows that conflict with others.
    let mayReplace: Bool

    /// The same object with its kind corrected: a virtual table stores its content in it, or does not.
    init(_ other: CatalogueEntry, isShadow: Bool) {
        rowID = other.rowID
        kind = isShadow ? .shadowTable : .table
        name = other.name
        table = other.table
        rootPage = other.rootPage
        sql = other.sql
        sqlBytes = other.sqlBytes
        words = other.words
        hasReferences = other.hasReferences
        mayCompute = other.mayCompute
        mayReplace = other.mayReplace
    }

    /// The columns of the schema that ``init(_:)`` reads.
    static let columns = SQL(verbatim: "rowid, rootpage, sql, type, name, tbl_name")

    convenience init(_ row: borrowing Row) throws {
        self.init(
            rowID: try row[0], type: try row[3], name: try row[4], table: try row[5],
            rootPage: try row[1] as Int64? ?? 0, sql: try row[2] as String? ?? "")
    }

    init(
        rowID: Int64, type: String, name: SQLName, table: SQLName, rootPage: Int64, sql: String
    ) {
        self.rowID = rowID
        self.name = name
        self.table = table
        self.rootPage = rootPage
        self.sql = sql
        sqlBytes = Array(sql.utf8)
        switch type {
        case "table" where Self.isVirtual(sql): kind = Self.virtualKind(sql)
        case "table": kind = .table
        // Indexes created by constraints have no SQL.
        case "index": kind = .index(isUnique: sql.isEmpty || SQLTokens.isUniqueIndex(sql))
        case "view": kind = .view
        default: kind = .trigger
        }
        mayCompute = kind == .table && SQLTokens.hasWord("as", in: sql)
        hasReferences = kind == .table && SQLTokens.hasWord("references", in: sql)
        mayReplace = type != "index" && SQLTokens.mayReplace(sql)
        // A table's own SQL names only its columns and the tables that its foreign keys refer to.
        words = type == "index" || kind == .table ? [] : SQLTokens.names(in: sql)
    }

    /// Whether preparing statements on it can show that it is usable.
    var canBeProbed: Bool {
        if case .index = kind { return false }
        return !isEngines
    }

    /// Whether its rows are counted.
    var hasRows: Bool {
        guard !isEngines else { return false }
        return switch kind {
        case .table: true
        case .virtualTable(let ownsRows, _): ownsRows
        default: false
        }
    }

    var isTable: Bool {
        switch kind {
        case .table, .virtualTable, .shadowTable: true
        default: false
        }
    }

    var isIndex: Bool { if case .index = kind { true } else { false } }

    var isVirtual: Bool { if case .virtualTable = kind { true } else { false } }

    /// Whether the object belongs to SQLite or to the engine.
    private var isEngines: Bool {
        name.spelling.begins(with: "sqlite_") || EngineTables.names.containsBytes(of: name.spelling)
    }

    /// The type and the name as in the schema, for messages.
    var title: String {
        switch kind {
        case .table, .virtualTable, .shadowTable: "table \(name.spelling)"
        case .index: "index \(name.spelling)"
        case .view: "view \(name.spelling)"
        case .trigger: "trigger \(name.spelling)"
        }
    }

    // MARK: Virtual tables

    private static func isVirtual(_ sql: String) -> Bool {
        // SQLite itself writes the beginning of the stored SQL.
        sql.utf8.prefix(21).elementsEqual("CREATE VIRTUAL TABLE ".utf8)
    }

    /// The modules of SQLite whose rows change only by writes.
    private static let modules: Set<String> = ["fts3", "fts4", "fts5", "rtree", "rtree_i32", "geopoly"]

    /// The suffixes of their content tables, after the table's name and an underscore.
    private static let contents: Set<SQLName> = [
        "data", "idx", "content", "docsize", "config", "segments", "segdir", "stat", "node", "rowid", "parent",
    ]

    /// Whether a table of this name stores the content of this virtual table.
    func hasContent(in name: SQLName) -> Bool {
        guard case .virtualTable(_, let isKnown) = kind,
            let part = name.part(after: "\(self.name.spelling)_")
        else { return false }
        return !isKnown || Self.contents.contains(part)
    }

    private static func virtualKind(_ sql: String) -> Kind {
        let text = SQLTokens.normalize(sql)
        let words = text.split(separator: " ")
        let module = words.firstIndex(of: "using").map { words[words.index(after: $0)...].first }
        return .virtualTable(
            ownsRows: !text.contains("content ="), isKnown: module.map { modules.contains(String($0 ?? "")) } ?? false)
    }
}

extension SQLTokens {
    static func isUniqueIndex(_ sql: String) -> Bool {
        // SQLite itself writes the beginning of the stored SQL.
        sql.utf8.prefix(14).elementsEqual("CREATE UNIQUE ".utf8)
    }
}
