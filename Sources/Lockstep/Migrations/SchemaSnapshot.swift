/// A schema, taken apart so that two of them can be compared object by object.
public struct SchemaSnapshot: Sendable, Equatable {
    /// What a difference is about.
    public enum Change: String, Sendable {
        /// The object should be there and is not.
        case missing
        /// The object is there and should not be.
        case unexpected
        /// The object is there in another form.
        case different
    }

    /// One object in which two schemas differ.
    public struct Difference: Sendable, Equatable {
        /// In what way.
        public let change: Change
        /// `table`, `index`, `trigger` or `view`.
        public let type: String
        /// The object's name.
        public let name: String
        /// What exactly, such as a column and both its forms; empty where there is nothing to add.
        public let details: [String]
    }

    private struct Object: Sendable, Equatable {
        let type: String
        let name: String
        /// Facts by what they are about: columns, foreign keys, the definition itself.
        let facts: [String: String]
    }

    private let objects: [String: Object]

    /// Takes the schema of `connection` apart. SQLite's own tables, the engine's, and what virtual tables
    /// keep their content in are left out.
    public init(_ connection: borrowing Connection) throws {
        let found = try connection.query(
            """
            SELECT s.type, s.name, s.sql FROM sqlite_schema AS s
            LEFT JOIN pragma_table_list AS l ON l.schema = 'main' AND l.name = s.tbl_name
            WHERE s.sql IS NOT NULL AND s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
              AND s.tbl_name NOT IN (\(verbatim: EngineTables.quotedNames))
              AND coalesce(l.type, '') <> 'shadow'
            """
        ) { row in (try row[0] as String, try row[1] as String, try row[2] as String) }
        var objects: [String: Object] = [:]
        for (type, name, sql) in found {
            var facts = ["definition": SQLTokens.normalize(sql)]
            if type == "table" {
                facts.merge(try Self.columns(of: name, connection)) { first, _ in first }
                facts.merge(try Self.foreignKeys(of: name, connection)) { first, _ in first }
            }
            objects["\(type) \(name.asciiLowercased)"] = Object(
                type: type, name: name, facts: facts)
        }
        self.objects = objects
    }

    /// In what this schema differs from the one it should be.
    public func differences(from expected: SchemaSnapshot) -> [Difference] {
        var differences: [Difference] = []
        for (key, object) in expected.objects where objects[key] == nil {
            differences.append(
                Difference(change: .missing, type: object.type, name: object.name, details: []))
        }
        for (key, object) in objects {
            guard let due = expected.objects[key] else {
                differences.append(
                    Difference(
                        change: .unexpected, type: object.type, name: object.name, details: []))
                continue
            }
            guard object.facts != due.facts else { continue }
            differences.append(
                Difference(
                    change: .different, type: object.type, name: object.name,
                    details: Self.compare(object.facts, due.facts)))
        }
        return differences.sorted { ($0.type, $0.name) < ($1.type, $1.name) }
    }

    /// The definition is told only where no finer fact explains the difference.
    private static func compare(_ facts: [String: String], _ due: [String: String]) -> [String] {
        let keys = Set(facts.keys).union(due.keys).filter { facts[$0] != due[$0] }
        let finer = keys.subtracting(["definition"])
        return (finer.isEmpty ? keys : finer).sorted().map { key in
            "\(key): \(facts[key] ?? "absent"), expected \(due[key] ?? "absent")"
        }
    }

    private static func columns(
        of table: String, _ connection: borrowing Connection
    ) throws -> [String: String] {
        let rows = try connection.query(
            "SELECT cid, name, type, \"notnull\", dflt_value, pk, hidden FROM pragma_table_xinfo(?)",
            table
        ) { row in
            let key: Int = try row[5]
            let hidden: Int = try row[6]
            let fallback: String? = try row[4]
            var form = ["position \(try row[0] as Int)", try row[2] as String]
            if try row[3] { form.append("not null") }
            if let fallback { form.append("default \(SQLTokens.normalize(fallback))") }
            if key > 0 { form.append("primary key \(key)") }
            if hidden > 1 { form.append("generated") }
            return ("column \((try row[1] as String).asciiLowercased)", form.joined(separator: " "))
        }
        return Dictionary(rows) { first, _ in first }
    }

    private static func foreignKeys(
        of table: String, _ connection: borrowing Connection
    ) throws -> [String: String] {
        let rows = try connection.query(
            """
            SELECT "from", "table", coalesce("to", ''), on_update, on_delete
            FROM pragma_foreign_key_list(?) ORDER BY id, seq
            """, table
        ) { row in
            (
                "foreign key of \((try row[0] as String).asciiLowercased)",
                "\(try row[1] as String)(\(try row[2] as String)) on update \(try row[3] as String)"
                    + " on delete \(try row[4] as String)"
            )
        }
        return Dictionary(rows) { "\($0); \($1)" }
    }
}
