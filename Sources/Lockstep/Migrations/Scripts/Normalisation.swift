/// A column whose values are brought to one form, as a migration requests it:
///
///     -- lockstep: normalise movie.id as uuid
///     -- lockstep: normalise movie.seen as date batch=1000
///
/// It stands for an UPDATE of the values in other forms, in the version's transaction or as a backfill. A value that is
/// not read as this type fails the version, and stays.
package struct Normalisation: Sendable, Equatable {
    let table: String
    let column: String
    let form: Form
    /// How many rows a transaction changes; nil for all in the version's own.
    let batch: Int?

    enum Form: String, Sendable, CaseIterable {
        case date, uuid, decimal, url

        /// SQL for a value as the type reads it. A UUID with letters of both cases is read nowhere else.
        fileprivate func read(_ column: String) -> String {
            self == .uuid ? "lockstep_uuid(upper(\(column)))" : "lockstep_\(rawValue)(\(column))"
        }
    }

    /// The text that parses to it.
    var spelling: String {
        "normalise \(SQLTokens.quote(table)).\(SQLTokens.quote(column)) as \(form.rawValue)"
            + (batch.map { " batch=\($0)" } ?? "")
    }

    /// The items that a script has for it.
    func items(line: Int) -> [MigrationScript.Item] {
        let (name, table) = (SQLTokens.quote(column), SQLTokens.quote(table))
        let read = form.read(name)
        let rows = batch == nil ? "" : "rowid BETWEEN :first AND :last AND "
        let sql = """
            UPDATE \(table) SET \(name) =
            coalesce(\(read), lockstep_unread(\(name), \(Self.literal(title)), '\(form.rawValue)'))
            WHERE \(rows)\(name) IS NOT \(read);
            """
        let backfill = batch.map {
            MigrationScript.Item(content: .directive(.backfill(table: self.table, batch: $0)), line: line)
        }
        return [backfill, .init(content: .sql(sql), line: line)].compactMap { $0 }
    }

    private var title: String { "\(table).\(column)" }

    private static func literal(_ text: String) -> String {
        "'\(text.replacing("'", with: "''"))'"
    }
}
