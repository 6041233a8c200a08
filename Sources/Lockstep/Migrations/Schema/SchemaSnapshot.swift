/// A schema, taken apart so that two of them can be compared object by object.
///
/// Spacing, comments, the case of words and names, the quoting of names, `IF NOT EXISTS`, `main.`, the order
/// of objects, of a column's constraints and of a table's own make no difference; nor does saying what
/// holds anyway: `ASC`, `VIRTUAL`, `GENERATED ALWAYS`, `BEFORE`, `FOR EACH ROW`, `NO ACTION`, parentheses
/// around a default. Everything else does, the names of constraints included: error messages tell them.
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
        /// What exactly, such as a column and both its forms; long ones are cut to what surrounds the
        /// difference. Empty where there is nothing to add.
        public let details: [String]
        /// The definition that is there; nil if the object is missing.
        public let found: String?
        /// The definition that should be there; nil if the object is unexpected.
        public let expected: String?
    }

    private let objects: [ExactText: DefinedObject]

    /// How many objects there are.
    public var count: Int { objects.count }

    /// Takes the schema of `connection` apart. SQLite's own tables, the engine's, and those that virtual
    /// tables keep their content in are left out, as is what is temporary. Triggers never are.
    public init(_ connection: borrowing Connection) throws {
        let found = try connection.query(
            """
            WITH l AS MATERIALIZED (SELECT name, type FROM pragma_table_list WHERE schema = 'main')
            SELECT s.type, s.name, s.tbl_name, s.sql FROM main.sqlite_schema AS s
            LEFT JOIN l ON l.name = s.tbl_name
            WHERE s.sql IS NOT NULL AND s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
              AND NOT (s.type IN ('table', 'index') AND (coalesce(l.type, '') = 'shadow'
                OR s.tbl_name LIKE 'lockstep\\_%' ESCAPE '\\'))
            """
        ) { row in
            DefinedObject(type: try row[0], name: try row[1], table: try row[2], sql: try row[3])
        }
        objects = Self.read(found)
    }

    /// Tables first: what else there is speaks of their columns.
    private static func read(_ found: [DefinedObject]) -> [ExactText: DefinedObject] {
        var objects: [ExactText: DefinedObject] = [:]
        var names: Set<ExactText> = []
        for var object in found {
            names.insert(ExactText(object.name.asciiLowercased))
            switch object.type {
            case "table":
                object.readTable()
                names.formUnion(object.order)
            case "view": names.formUnion(NameScope.names(in: DefinitionReader(object.sql).tokens))
            default: break
            }
            objects[object.key] = object
        }
        for var object in found where object.type != "table" {
            object.read(names: names) { table in
                Set(objects[DefinedObject.key("table", table)]?.order ?? [])
            }
            objects[object.key] = object
        }
        return objects
    }

    /// Whether neither has what the other lacks.
    public static func == (one: SchemaSnapshot, other: SchemaSnapshot) -> Bool {
        one.differences(from: other).isEmpty
    }

    /// In what this schema differs from the one it should be, by type and name.
    public func differences(from expected: SchemaSnapshot) -> [Difference] {
        var differences: [Difference] = []
        for (key, object) in expected.objects where objects[key] == nil {
            differences.append(
                Difference(
                    change: .missing, type: object.type, name: object.name, details: [],
                    found: nil, expected: object.sql))
        }
        for (key, object) in objects {
            guard let due = expected.objects[key] else {
                differences.append(
                    Difference(
                        change: .unexpected, type: object.type, name: object.name, details: [],
                        found: object.sql, expected: nil))
                continue
            }
            guard !object.isSame(as: due) else { continue }
            differences.append(
                Difference(
                    change: .different, type: object.type, name: object.name,
                    details: object.details(against: due), found: object.sql,
                    expected: due.sql))
        }
        return differences.sorted { ($0.type, $0.name) < ($1.type, $1.name) }
    }
}
