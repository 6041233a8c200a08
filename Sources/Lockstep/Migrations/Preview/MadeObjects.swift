/// What the statements of one script make, in order, to find what the same script drops again.
struct MadeObjects {
    private struct Object: Hashable {
        var kind: String
        var name: SQLName
        /// The table of a column.
        var table: SQLName?
    }

    private static let kinds = ["table", "view", "index", "trigger"]

    private var made: Set<Object> = []

    /// Notes what a statement makes.
    /// - Returns: What the statement drops of what earlier ones made, such as `table person`; nil if nothing.
    mutating func follow(_ sql: String, _ context: LintContext) -> String? {
        var cursor = SQLCursor(sql)
        if cursor.take("create") {
            _ = cursor.take("temp") || cursor.take("temporary")
            _ = cursor.take("unique") || cursor.take("virtual")
            guard let object = Self.object(&cursor) else { return nil }
            // `IF NOT EXISTS` can have made nothing.
            if !(object.kind == "table" && context.exists(object.name.spelling)) {
                made.insert(object)
            }
        } else if cursor.take("drop") {
            guard let object = Self.object(&cursor), made.remove(object) != nil else { return nil }
            return "\(object.kind) \(object.name.spelling)"
        } else if cursor.take("alter", "table") {
            return alter(&cursor)
        }
        return nil
    }

    private mutating func alter(_ cursor: inout SQLCursor) -> String? {
        guard let table = try? cursor.objectName() else { return nil }
        let isAdded = cursor.take("add")
        guard isAdded || cursor.take("drop") else { return nil }
        _ = cursor.take("column")
        guard let name = try? cursor.objectName() else { return nil }
        let column = Object(kind: "column", name: name, table: table)
        if isAdded {
            made.insert(column)
            return nil
        }
        return made.remove(column).map { _ in "column \(table.spelling).\(name.spelling)" }
    }

    private static func object(_ cursor: inout SQLCursor) -> Object? {
        guard let kind = kinds.first(where: { cursor.take($0) }) else { return nil }
        _ = cursor.take("if", "not", "exists") || cursor.take("if", "exists")
        return (try? cursor.objectName()).map { Object(kind: kind, name: $0) }
    }
}
