/// Findings from statements that SQLite accepts and that mean something else than they seem to. A comparison of rows does
/// not show it: on an empty database both are the same.
enum PitfallLint {
    static func findings(
        _ statements: [MigrationPreview.Statement], _ file: String, _ context: LintContext
    ) -> [LintFinding] {
        var findings: [LintFinding] = []
        // Full-text tables whose index has no entry yet.
        var unfilled: [SQLName: LintFinding] = [:]
        var temporary: [SQLName: LintFinding] = [:]
        for statement in statements {
            let cursor = SQLCursor(statement.sql)
            func finding(_ rule: LintRule, _ message: String, _ hint: String) -> LintFinding {
                LintFinding(.warning, rule, file, statement.line, message, hint: hint)
            }
            for name in invisibleNames(cursor) {
                findings.append(
                    finding(
                        .invisibleName, "the name \(name.text) has the invisible character \(name.code)",
                        "write it without: it is another name than the one that it looks like"))
            }
            if let table = tableFilledByPosition(cursor) {
                findings.append(
                    finding(
                        .copyByPosition, "it copies rows into \(table.spelling) by the position of their columns",
                        "name the columns on both sides: two tables can have theirs in another order"))
            }
            if let table = temporaryTable(cursor) {
                temporary[table] = finding(
                    .temporaryLeft, "the temporary table \(table.spelling) is there until its connection closes",
                    "drop it in this version: a later one can run in another program, which does not have it")
            } else if let table = droppedTable(cursor) {
                temporary[table] = nil
            }
            if let key = keyWithoutNumbers(cursor) {
                findings.append(
                    finding(
                        .noRowIDAlias,
                        "\(key.table).\(key.column) is \(key.type) PRIMARY KEY: SQLite gives it no numbers, and takes NULL",
                        "write INTEGER PRIMARY KEY, or NOT NULL if the program gives the numbers"))
            }
            if let made = ExternalContent(cursor), context.rows(made.content.spelling) > 0 {
                let (index, content) = (made.index, made.content)
                unfilled[index] = finding(
                    .externalContent,
                    "a search in \(index.spelling) does not find the \(context.rows(content.spelling)) rows of "
                        + "\(content.spelling)",
                    "fill it: `INSERT INTO \(index.spelling) (\(index.spelling)) VALUES ('rebuild');`")
            } else if let table = filledTable(cursor) {
                unfilled[table] = nil
            }
        }
        return findings + (Array(unfilled.values) + Array(temporary.values)).sorted { $0.line < $1.line }
    }

    /// Names with a character that nobody sees, and for SQLite is a letter.
    private static func invisibleNames(_ cursor: SQLCursor) -> [(text: String, code: String)] {
        cursor.tokens.compactMap { token in
            guard token.kind == .word || token.kind == .quotedName else { return nil }
            let found = token.text.unicodeScalars.first { scalar in
                let category = scalar.properties.generalCategory
                return !scalar.isASCII
                    && (scalar.properties.isDefaultIgnorableCodePoint || category == .spaceSeparator
                        || category == .lineSeparator || category == .paragraphSeparator)
            }
            return found.map { (token.text, "U+" + String($0.value, radix: 16, uppercase: true)) }
        }
    }

    /// The table of `INSERT INTO t SELECT * …`.
    private static func tableFilledByPosition(_ cursor: SQLCursor) -> SQLName? {
        var cursor = cursor
        guard let table = target(&cursor), cursor.take("select", "*") else { return nil }
        return table
    }

    private static func temporaryTable(_ cursor: SQLCursor) -> SQLName? {
        var cursor = cursor
        guard cursor.take("create") else { return nil }
        var isTemporary = cursor.take("temp") || cursor.take("temporary")
        guard cursor.take("table") else { return nil }
        _ = cursor.take("if", "not", "exists")
        isTemporary = isTemporary || (cursor.peek() == "temp" && cursor.peek(1) == ".")
        return isTemporary ? try? cursor.objectName() : nil
    }

    private static func droppedTable(_ cursor: SQLCursor) -> SQLName? {
        var cursor = cursor
        guard cursor.take("drop", "table") else { return nil }
        _ = cursor.take("if", "exists")
        return try? cursor.objectName()
    }

    private static func filledTable(_ cursor: SQLCursor) -> SQLName? {
        var cursor = cursor
        return target(&cursor)
    }

    /// The table that an INSERT or REPLACE begins with.
    private static func target(_ cursor: inout SQLCursor) -> SQLName? {
        guard cursor.take("insert") || cursor.take("replace") else { return nil }
        if cursor.take("or") { _ = try? cursor.next() }
        return cursor.take("into") ? try? cursor.objectName() : nil
    }

    /// A column whose type is no alias of the rowid, although it looks like that of one.
    private static func keyWithoutNumbers(_ cursor: SQLCursor) -> (table: String, column: String, type: String)? {
        var cursor = cursor
        guard cursor.take("create"), cursor.take("table"), !cursor.contains("without", "rowid") else { return nil }
        _ = cursor.take("if", "not", "exists")
        guard let table = try? cursor.objectName() else { return nil }
        let tokens = Array(cursor.rest())
        for index in tokens.indices.dropFirst().dropLast(2)
        where integers.contains(tokens[index].word) && tokens[index + 1].word == "primary"
            && tokens[index + 2].word == "key"
        {
            // A key that cannot be NULL has its numbers from the program.
            let rest = SQLCursor(tokens[(index + 3)...].prefix { $0.word != "," })
            guard !rest.contains("not", "null") else { continue }
            return (table.spelling, tokens[index - 1].name.spelling, tokens[index].text)
        }
        return nil
    }

    private static let integers: Set<String> = [  // exact: words of the source
        "int", "int2", "int4", "int8", "bigint", "smallint", "mediumint", "tinyint",
    ]
}
