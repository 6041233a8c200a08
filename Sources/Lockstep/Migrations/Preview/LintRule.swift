/// A rule that migrations are checked by before they run. The article Migrating lists all of them in this order.
package enum LintRule: String, CaseIterable {
    case dropTable = "drop-table"
    case deleteAll = "delete-all"
    case updateAll = "update-all"
    case renameTable = "rename-table"
    case renameColumn = "rename-column"
    case dropColumn = "drop-column"
    case addNotNull = "add-not-null"
    case addDefaultExpression = "add-default-expression"
    case addReferenceDefault = "add-reference-default"
    case uniqueIndex = "unique-index"
    case index
    case renameOldFirst = "rename-old-first"
    case ifNotExists = "if-not-exists"
    case madeAndDropped = "made-and-dropped"
    case doubleQuotedText = "double-quoted-text"
    case copyByPosition = "copy-by-position"
    case noRowIDAlias = "no-rowid-alias"
    case invisibleName = "invisible-name"
    case externalContent = "external-content"
    case temporaryLeft = "temporary-left"
    case rebuild
    case histogram
    case blindIndex = "blind-index"
    case deterministic
    case code
    case irreversible
    case setsOutOfStep = "sets-out-of-step"
    case blockingIndex = "blocking-index"
    case serial
    case setNotNull = "set-not-null"
    case tableRewrite = "table-rewrite"
    case notValid = "not-valid"
    case foldedName = "folded-name"
    case refused
    case notTried = "not-tried"
    case tolerated

    /// What it reports, in one line.
    var summary: String {
        switch self {
        case .dropTable: "a table is dropped"
        case .deleteAll: "all rows of a table are deleted"
        case .updateAll: "10,000 rows or more are changed in one transaction"
        case .renameTable: "a table is renamed"
        case .renameColumn: "a column is renamed"
        case .dropColumn: "a column is dropped"
        case .addNotNull: "a NOT NULL column without a default is added to a table with rows"
        case .addDefaultExpression:
            "a column whose default is not constant is added to a table with rows"
        case .addReferenceDefault:
            "a reference with a default other than NULL is added to a table with rows"
        case .uniqueIndex: "a unique index is made on a table with rows"
        case .index: "an index is made on 100,000 rows or more"
        case .renameOldFirst:
            "a table is created under the name of a renamed one, which references can follow"
        case .ifNotExists: "`IF NOT EXISTS` leaves an existing table as it is"
        case .madeAndDropped: "a table, view, index, trigger or column is made and dropped again"
        case .doubleQuotedText: "a name in double quotes that is no column is taken for text"
        case .copyByPosition: "rows are copied without the names of their columns"
        case .noRowIDAlias: "a primary key of numbers is not `INTEGER`, so that SQLite gives it none"
        case .invisibleName: "a name has a character that nobody sees"
        case .externalContent: "a full-text table is made over a table with rows, and not filled"
        case .temporaryLeft: "a temporary table is made and not dropped: a later version can be in another run"
        case .rebuild: "a table with rows is rebuilt"
        case .histogram: "a blind index would reveal too much about the values"
        case .blindIndex: "what a blind index reveals about the values"
        case .deterministic: "what equal cells reveal about the values"
        case .code: "a version in code cannot be tried"
        case .irreversible: "a version has no way down"
        case .setsOutOfStep:
            "the files of a version for SQLite and PostgreSQL do not seal the same columns"
        case .blockingIndex:
            "on a server: an index is built on an existing table without CONCURRENTLY"
        case .serial: "on a server: a key is `serial` and not an identity"
        case .setNotNull:
            "on a server: NOT NULL is set on a column that no checked constraint shows to be without NULL"
        case .tableRewrite:
            "on a server: a table with rows may be written again as a whole"
        case .notValid:
            "on a server: a foreign key or check is added to a table with rows without NOT VALID"
        case .foldedName:
            "on a server: a name with capital letters is not quoted, and gets small ones"
        case .refused:
            "a statement is refused on a copy, or a check refuses its result"
        case .notTried:
            "a copy cannot run a statement that the database may"
        case .tolerated: "a declaration allows what would be refused"
        }
    }

    /// The code of the error for a run that an error of this rule prevents.
    var refusal: LockstepError.Code {
        switch self {
        case .dropTable, .deleteAll: .rowsLost
        case .histogram: .misuse
        default: .migrationFailed
        }
    }
}
