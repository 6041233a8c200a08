/// Findings from the statements of a script and the number of rows in the tables.
enum MigrationLint {
    static func findings(
        _ statements: [MigrationPreview.Statement], _ script: MigrationScript, _ file: String, _ context: LintContext
    ) -> [LintFinding] {
        var findings: [LintFinding] = []
        var renamed: [SQLName: String] = [:]
        var made = MadeObjects()
        for statement in statements {
            var cursor = SQLCursor(statement.sql)
            func add(_ level: LintFinding.Level, _ rule: LintRule, _ message: String, _ hint: String?) {
                findings.append(
                    LintFinding(level, rule, file, statement.line, message, hint: hint))
            }
            func lose(_ rule: LintRule, _ message: String, _ table: String) {
                let directive = Directive.allowLoss(table: table)
                add(.error, rule, message, "declare it: `-- lockstep: \(directive.spelling)`")
                findings[findings.count - 1].declaration = directive
            }
            if cursor.take("drop", "table") {
                dropTable(&cursor, context, add, lose)
            } else if cursor.take("delete", "from") {
                delete(&cursor, context, add, lose)
            } else if cursor.take("update") {
                update(&cursor, context, add)
            } else if cursor.take("alter", "table") {
                alter(&cursor, context, &renamed, add)
            } else if cursor.take("create") {
                create(&cursor, context, renamed, add)
            }
            if let object = made.follow(statement.sql, context) {
                add(
                    .warning, .madeAndDropped, "it makes the \(object) and drops it again",
                    "if the file also holds the way down, begin that with `-- lockstep: down`")
            }
        }
        return findings + rebuilds(script, file, context)
    }

    private typealias Add = (LintFinding.Level, LintRule, String, String?) -> Void
    /// Adds the error for a table that would lose its rows.
    private typealias Lose = (_ rule: LintRule, _ message: String, _ table: String) -> Void

    /// The next name in lower case; empty if there is none.
    private static func name(_ cursor: inout SQLCursor) -> String {
        (try? cursor.objectName().folded) ?? ""
    }

    private static func dropTable(_ cursor: inout SQLCursor, _ context: LintContext, _ add: Add, _ lose: Lose) {
        _ = cursor.take("if", "exists")
        let table = name(&cursor)
        let rows = context.rows(table)
        let what = "it drops \(table)" + (rows > 0 ? " with its \(rows) rows" : "")
        if rows > 0, context.isLost(table) {
            lose(.dropTable, what, table)
        } else if context.exists(table) {
            add(.warning, .dropTable, what, "programs that use the table will fail")
        }
    }

    private static func delete(_ cursor: inout SQLCursor, _ context: LintContext, _ add: Add, _ lose: Lose) {
        let table = name(&cursor)
        let rows = context.rows(table)
        guard rows > 0, !cursor.contains("where") else { return }
        let what = "it deletes all \(rows) rows of \(table)"
        if context.isLost(table) {
            lose(.deleteAll, what, table)
        } else {
            add(.warning, .deleteAll, what, nil)
        }
    }

    private static func update(_ cursor: inout SQLCursor, _ context: LintContext, _ add: Add) {
        if cursor.take("or") { _ = try? cursor.next() }
        let table = name(&cursor)
        let rows = context.rows(table)
        guard rows >= 10_000, !cursor.contains("where") else { return }
        add(
            .note, .updateAll, "it changes all \(rows) rows of \(table) in one transaction",
            "other connections cannot write meanwhile; " + "use `-- lockstep: backfill \(table) batch=1000`")
    }

    private static func alter(
        _ cursor: inout SQLCursor, _ context: LintContext, _ renamed: inout [SQLName: String], _ add: Add
    ) {
        let table = name(&cursor)
        let rows = context.rows(table)
        if cursor.take("rename", "to") {
            renamed[SQLName(table)] = name(&cursor)
            add(
                .warning, .renameTable, "it renames \(table)",
                "programs that use the old name will fail; a view with that name helps programs " + "that only read")
        } else if cursor.take("rename") {
            add(.warning, .renameColumn, "it renames a column of \(table)", "programs that use the old name will fail")
        } else if cursor.take("drop") {
            _ = cursor.take("column")
            add(
                .warning, .dropColumn,
                "it drops \(table).\(name(&cursor))" + (rows > 0 ? " and rewrites \(rows) rows" : ""),
                "the content of the column is lost")
        } else if cursor.take("add") {
            addColumn(cursor, table, rows, add)
        }
    }

    /// SQLite accepts these columns on an empty table but refuses them on a table with rows.
    private static func addColumn(_ cursor: SQLCursor, _ table: String, _ rows: Int, _ add: Add) {
        guard rows > 0 else { return }
        // ON DELETE SET DEFAULT gives none.
        let words = cursor.tokens.map(\.word)
        let hasDefault = zip(words.dropFirst(), words).contains {
            $0.0 == "default" && $0.1 != "set"
        }
        if cursor.contains("not", "null"), !hasDefault, !cursor.contains("as") {
            add(
                .error, .addNotNull, "it adds a NOT NULL column without a default to \(rows) rows of \(table)",
                "give it a default, or rebuild the table with `set`")
        }
        let isMoment = ["current_timestamp", "current_date", "current_time"].contains {
            cursor.contains("default", $0)
        }
        if isMoment || cursor.contains("default", "(") {
            add(
                .error, .addDefaultExpression,
                "it adds a column to \(rows) rows of \(table) whose default is not constant",
                "add it without a default and fill it, or rebuild the table")
        }
        if cursor.contains("references"), hasDefault, !cursor.contains("default", "null") {
            add(
                .error, .addReferenceDefault,
                "it adds a reference to \(rows) rows of \(table) with a default other than NULL",
                "add it without a default and fill it")
        }
    }

    private static func create(
        _ cursor: inout SQLCursor, _ context: LintContext, _ renamed: [SQLName: String],
        _ add: Add
    ) {
        let isUnique = cursor.take("unique")
        if cursor.take("index") {
            guard (try? cursor.upTo("on")) != nil else { return }
            let table = name(&cursor)
            let rows = context.rows(table)
            guard rows > 0 else { return }
            if isUnique {
                add(
                    .warning, .uniqueIndex, "it fails if any two of the \(rows) rows of \(table) have equal keys",
                    "rehearse it on a copy")
            } else if rows >= 100_000 {
                add(.note, .index, "it reads and sorts all \(rows) rows of \(table)", nil)
            }
            return
        }
        guard !isUnique, cursor.take("table") else { return }
        let isConditional = cursor.take("if", "not", "exists")
        let name = name(&cursor)
        if let old = renamed[SQLName(name)] {
            let what = "\(name) is created again after it was renamed to \(old)"
            // If no references existed, or if they were created again as well, nothing is wrong.
            let isFollowed = context.isMentionedAfter(old)
            add(
                isFollowed ? .error : .warning, .renameOldFirst,
                isFollowed
                    ? "\(what): other tables' references now follow \(old)"
                    : "\(what): a reference of another table would follow \(old)",
                "use `-- lockstep: rebuild table \(name)`")
        }
        if isConditional, context.exists(name) {
            add(
                .warning, .ifNotExists, "\(name) already exists and does not change, whatever this definition says",
                "omit IF NOT EXISTS: versions run once")
        }
    }

    private static func rebuilds(
        _ script: MigrationScript, _ file: String, _ context: LintContext
    ) -> [LintFinding] {
        script.items.compactMap { item in
            guard case .directive(.rebuild(let table)) = item.content else { return nil }
            let rows = context.rows(table)
            guard rows > 0 else { return nil }
            return LintFinding(
                .note, .rebuild, file, item.line, "it copies all \(rows) rows of \(table)",
                hint: rows >= 100_000 ? "it needs free disk space of about the table's size" : nil)
        }
    }
}
