internal import Lockstep

/// Findings about statements that a server would run, but that keep others waiting or surprise later.
struct ServerLint {
    private let file: String
    /// What the script declares.
    private let script: ServerScript
    /// Whether a table holds anything now.
    private let isFilled: (StatementReader.Name) throws -> Bool
    private var findings: [LintFinding] = []
    /// The columns that a constraint of the same script shows to be without NULL, as `table.column`.
    private var checked: Set<ExactText> = []

    static func findings(
        _ script: ServerScript, _ file: String, isFilled: (StatementReader.Name) throws -> Bool
    ) throws -> [LintFinding] {
        try withoutActuallyEscaping(isFilled) { isFilled in
            var lint = ServerLint(file: file, script: script, isFilled: isFilled)
            for statement in script.statements { try lint.look(statement) }
            return lint.findings
        }
    }

    private mutating func look(_ statement: ServerScript.Statement) throws {
        var reader = StatementReader(statement.sql)
        if let name = reader.camelCase {
            add(
                .warning, .foldedName, statement, "\(name) is not quoted, and so is \(name.asciiLowercased)",
                "write \"\(name)\", or small letters and underscores")
        }
        if reader.take("create") {
            _ = reader.take("unique")
            if reader.take("index"), !reader.take("concurrently") {
                try index(&reader, statement)
            } else if reader.take("table"),
                reader.contains("serial")
                    || reader.contains("bigserial") || reader.contains("smallserial")
            {
                serial(statement)
            }
        } else if reader.take("alter", "table") {
            try alter(&reader, statement)
        } else {
            try destroy(&reader, statement)
        }
    }

    /// What takes rows and values away.
    private mutating func destroy(_ reader: inout StatementReader, _ statement: ServerScript.Statement) throws {
        if reader.take("drop", "table") || reader.take("truncate") {
            let isTruncation = StatementReader(statement.sql).contains("truncate")
            _ = reader.take("table")
            _ = reader.take("if", "exists")
            repeat {
                _ = reader.take("only")
                guard let table = reader.name(), try isFilled(table) else { continue }
                let name = table.joined(separator: ".")
                add(
                    level(allowing: table), isTruncation ? .deleteAll : .dropTable, statement,
                    "it \(isTruncation ? "empties" : "drops") \(name), which has rows",
                    "if that is intended, declare `-- lockstep: allow loss of table \(name)`")
            } while reader.take(",")
        } else if reader.take("delete", "from") {
            _ = reader.take("only")
            guard let table = reader.name(), try isFilled(table) else { return }
            let name = table.joined(separator: ".")
            let isAll = !reader.contains("where")
            add(
                isAll ? level(allowing: table) : .warning, .deleteAll, statement,
                "it deletes \(isAll ? "all rows" : "rows") of \(name)",
                "if that is intended, declare `-- lockstep: allow loss of table \(name)`")
        } else if reader.take("update") {
            _ = reader.take("only")
            guard let table = reader.name(), !reader.contains("where"), try isFilled(table) else { return }
            add(
                .warning, .updateAll, statement,
                "it writes all rows of \(table.joined(separator: ".")) again, and nobody else can change them meanwhile",
                "change them in parts, each in a version of its own")
        }
    }

    private func level(allowing table: StatementReader.Name) -> LintFinding.Level {
        let names = [table.joined(separator: "."), table.last ?? ""]
        let isAllowed = script.allowedLosses.contains { loss in names.contains { SQLName($0) == SQLName(loss) } }
        return isAllowed ? .warning : .error
    }

    /// The columns that an ALTER TABLE drops.
    private mutating func dropColumns(
        _ reader: StatementReader, _ table: StatementReader.Name, _ statement: ServerScript.Statement
    ) throws {
        var reader = reader
        while !reader.isAtEnd {
            if reader.take("drop"), !reader.take("constraint") {
                _ = reader.take("column")
                _ = reader.take("if", "exists")
                if let column = reader.name()?.last, try isFilled(table) {
                    let title = "\(table.joined(separator: ".")).\(column)"
                    let isAllowed =
                        script.allowsLoss(of: column, in: table.last ?? "") || level(allowing: table) == .warning
                    add(
                        isAllowed ? .warning : .error, .dropColumn, statement, "it drops \(title) with its values",
                        "if that is intended, declare `-- lockstep: allow loss of column \(title)`")
                }
            }
            while !reader.isAtEnd, !reader.take(",") { reader.skipOver() }
        }
    }

    private mutating func index(_ reader: inout StatementReader, _ statement: ServerScript.Statement) throws {
        _ = reader.take("if", "not", "exists")
        if !reader.take("on") {
            _ = reader.name()
            guard reader.take("on") else { return }
        }
        _ = reader.take("only")
        guard let table = reader.name(), try isFilled(table) else { return }
        add(
            .warning, .blockingIndex, statement,
            "it builds an index on \(table.joined(separator: ".")), and nobody can write there meanwhile",
            "use CREATE INDEX CONCURRENTLY, in a version with `-- lockstep: no transaction`")
    }

    private mutating func serial(_ statement: ServerScript.Statement) {
        add(
            .note, .serial, statement, "a `serial` key belongs to a sequence with rights of its own",
            "write GENERATED BY DEFAULT AS IDENTITY")
    }

    private mutating func alter(_ reader: inout StatementReader, _ statement: ServerScript.Statement) throws {
        _ = reader.take("if", "exists")
        _ = reader.take("only")
        guard let table = reader.name() else { return }
        try dropColumns(reader, table, statement)
        if reader.contains("serial") || reader.contains("bigserial") { serial(statement) }
        if reader.contains("check"), reader.contains("is", "not", "null") {
            checked.insert(ExactText(table.joined(separator: ".")))
        }
        let name = table.joined(separator: ".")
        let readsAll = reader.contains("set", "not", "null") && !checked.contains(ExactText(name))
        let rewrites = reader.changesType || Self.addsComputed(reader)
        let validates = Self.addsConstraint(reader) && !reader.contains("not", "valid")
        guard readsAll || rewrites || validates, try isFilled(table) else { return }
        if readsAll {
            add(
                .warning, .setNotNull, statement, "it reads all rows of \(name) while nobody else can",
                "first add a CHECK (… IS NOT NULL) NOT VALID, and validate it in the version before")
        }
        if rewrites {
            add(
                .warning, .tableRewrite, statement,
                "it may write all rows of \(name) again, and nobody can read or write there meanwhile",
                "add a column without a default, fill it, and let programs move to it")
        }
        if validates {
            add(
                .warning, .notValid, statement, "it reads all rows of \(name), and nobody can write there meanwhile",
                "add the constraint with NOT VALID, and VALIDATE CONSTRAINT in the next version"
            )
        }
    }

    /// Whether it adds a column whose values the server makes for each row.
    private static func addsComputed(_ reader: StatementReader) -> Bool {
        guard reader.contains("add") else { return false }
        let makers = ["random", "gen_random_uuid", "uuid_generate_v4", "clock_timestamp", "timeofday", "nextval"]
        return makers.contains { reader.contains("default", $0, "(") }
            || reader.contains("stored") || reader.contains("identity")
    }

    private static func addsConstraint(_ reader: StatementReader) -> Bool {
        reader.contains("foreign", "key") || reader.contains("add", "check")
            || (reader.contains("add", "constraint") && reader.contains("check"))
    }

    private mutating func add(
        _ level: LintFinding.Level, _ rule: LintRule, _ statement: ServerScript.Statement,
        _ message: String, _ hint: String
    ) {
        guard !findings.contains(where: { $0.line == statement.line && $0.message == message }) else { return }
        findings.append(
            LintFinding(level, rule, file, statement.line, message, hint: hint))
    }

    private init(file: String, script: ServerScript, isFilled: @escaping (StatementReader.Name) throws -> Bool) {
        (self.file, self.script, self.isFilled) = (file, script, isFilled)
    }
}
