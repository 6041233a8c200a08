/// What changes a row of a table after the statement that wrote it has made its RETURNING row: SQLite computes that
/// before triggers and the actions of foreign keys run.
struct RowEffects {
    /// Whether an INSERT can have such effects.
    let ofInsert: Bool
    /// Whether an INSERT with ON CONFLICT DO UPDATE can.
    let ofUpsert: Bool

    static let none = RowEffects(ofInsert: false, ofUpsert: false)

    private init(ofInsert: Bool, ofUpsert: Bool) {
        (self.ofInsert, self.ofUpsert) = (ofInsert, ofUpsert)
    }

    init(of table: String, _ connection: borrowing Connection) throws {
        let (hasTriggers, isParent, sql) = try connection.with(rights: .engine) {
            (
                try connection.value(
                    """
                    SELECT EXISTS (
                        SELECT 1 FROM main.sqlite_schema WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE
                        UNION ALL
                        SELECT 1 FROM temp.sqlite_schema WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE)
                    """, table, as: Bool.self) ?? false,
                // Few definitions name a parent, and the others need not be parsed.
                try connection.value(
                    """
                    SELECT EXISTS (
                        SELECT 1 FROM main.sqlite_schema AS s, pragma_foreign_key_list(s.name) AS f
                        WHERE s.type = 'table' AND s.sql LIKE '%references%' AND f."table" = ?1 COLLATE NOCASE
                            AND (f.on_update NOT IN ('NO ACTION', 'RESTRICT')
                                OR f.on_delete NOT IN ('NO ACTION', 'RESTRICT')))
                    """, table, as: Bool.self) ?? false,
                try connection.value(
                    "SELECT sql FROM main.sqlite_schema WHERE type = 'table' AND name = ?1 COLLATE NOCASE",
                    table, as: String.self) ?? ""
            )
        }
        // A conflict that is declared to REPLACE deletes rows, whose children can act on the new one.
        ofInsert = hasTriggers || (isParent && SQLTokens.mayReplace(sql))
        ofUpsert = hasTriggers || isParent
    }
}
