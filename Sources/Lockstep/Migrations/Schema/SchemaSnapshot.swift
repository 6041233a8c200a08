/// A parsed schema that can be compared with another one, object by object.
///
/// The comparison ignores white space, comments, the case of words and names, the quoting of names, `IF NOT
/// EXISTS`, `main.`, and the order of objects, of a column's constraints and of a table's constraints. It also
/// ignores defaults that are written out: `ASC`, `VIRTUAL`, `GENERATED ALWAYS`, `BEFORE`, `FOR EACH ROW`, `NO
/// ACTION`, parentheses around a default. Everything else counts, including the names of constraints, which
/// appear in error messages.
public struct SchemaSnapshot: Sendable, Equatable {
    /// The kind of a difference.
    public enum Change: String, Sendable {
        /// The object is expected but does not exist.
        case missing
        /// The object exists but is not expected.
        case unexpected
        /// The object exists in a different form.
        case different
    }

    /// One object in which two schemas differ.
    public struct Difference: Sendable, Equatable {
        /// The kind of the difference.
        public let change: Change
        /// `table`, `index`, `trigger` or `view`.
        @Exact public private(set) var type: String
        /// The object's name.
        @Exact public private(set) var name: String
        /// The details, such as a column in both forms; long forms are cut to the text around the difference.
        /// Empty if there are none.
        @Exact public private(set) var details: [String]
        /// The existing definition; nil if the object is missing.
        @Exact public private(set) var found: String?
        /// The expected definition; nil if the object is unexpected.
        @Exact public private(set) var expected: String?
    }

    private let objects: [DefinedObject.Key: DefinedObject]

    /// The number of objects.
    public var count: Int { objects.count }

    /// Reads the schema of `connection`. Omits the tables of SQLite and of the engine, the content tables of
    /// virtual tables, and temporary objects. Triggers are never omitted.
    /// - Throws: SQLite's errors, such as ``LockstepError/Code/damaged``; ``LockstepError/Code/decodeMismatch`` if the
    ///   schema contains text that is not UTF-8.
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

    /// Reads tables first, because other objects refer to their columns.
    private static func read(_ found: [DefinedObject]) -> [DefinedObject.Key: DefinedObject] {
        var objects: [DefinedObject.Key: DefinedObject] = [:]
        var names: Set<SQLName> = []
        for var object in found {
            names.insert(SQLName(object.name))
            switch object.type {
            case "table":
                object.readTable()
                names.formUnion(object.order)
            case "view":
                names.formUnion(NameScope.names(in: SQLCursor(definition: object.sql).tokens))
            default: break
            }
            objects[object.key] = object
        }
        for var object in found where object.type != "table" {
            object.read(names: names) { table in
                Set(objects[DefinedObject.Key(type: "table", name: table)]?.order ?? [])
            }
            objects[object.key] = object
        }
        return objects
    }

    /// Whether the two have no differences.
    public static func == (one: SchemaSnapshot, other: SchemaSnapshot) -> Bool {
        one.differences(from: other).isEmpty
    }

    /// The differences of this schema from the expected one, by type and name.
    public func differences(from expected: SchemaSnapshot) -> [Difference] {
        differences(from: expected, takingNoTypeForAny: false)
    }

    /// - Parameter takingNoTypeForAny: Whether a column that is expected without a type can have any.
    func differences(
        from expected: SchemaSnapshot, takingNoTypeForAny: Bool
    ) -> [Difference] {
        var differences: [Difference] = []
        for (key, object) in expected.objects where objects[key] == nil {
            differences.append(
                Difference(
                    change: .missing, type: object.type, name: object.name, details: [],
                    found: nil, expected: object.sql))
        }
        for (key, var object) in objects {
            guard let other = expected.objects[key] else {
                differences.append(
                    Difference(
                        change: .unexpected, type: object.type, name: object.name, details: [],
                        found: object.sql, expected: nil))
                continue
            }
            if takingNoTypeForAny { object = object.ignoringTypes(whereNoneIn: other) }
            guard !object.isSame(as: other) else { continue }
            differences.append(
                Difference(
                    change: .different, type: object.type, name: object.name,
                    details: object.details(against: other), found: object.sql,
                    expected: other.sql))
        }
        return differences.sorted { ($0.type, $0.name) < ($1.type, $1.name) }
    }
}

extension [SchemaSnapshot.Difference] {
    /// The first differences, as a part of a message.
    var summary: String {
        let list = prefix(5).map { "\($0.type) \($0.name) is \($0.change.rawValue)" }
        return list.joined(separator: ", ") + (count > 5 ? " and \(count - 5) more" : "")
    }

    /// The first detail, as the end of a hint; empty if there is none.
    var firstDetail: String {
        first?.details.first.map { "; the first difference: \($0)" } ?? ""
    }
}
