/// Runs the script of a migration statement by statement, inside the transaction of its version.
struct ScriptRunner {
    let script: MigrationScript
    let origin: ScriptOrigin
    let observe: (MigrationEvent) throws -> Void
    /// Whether an earlier part of the version has committed.
    var isBegun = false
    /// How the version is addressed in declarations, for hints.
    var address = Allowances()
    /// Called for each statement that has run, with the line where it begins.
    var inspect: ((_ sql: String, _ line: Int) -> Void)?
    /// Whether the script itself has BEGIN and COMMIT, which have nothing to do.
    private let isTransaction: Bool

    init(
        script: MigrationScript, origin: ScriptOrigin, observe: @escaping (MigrationEvent) throws -> Void,
        isBegun: Bool = false
    ) {
        (self.script, self.origin, self.observe, self.isBegun) = (script, origin, observe, isBegun)
        isTransaction = script.isTransaction
    }

    /// - Throws: ``LockstepError/Code/migrationFailed`` with file, line, statement and SQLite's message.
    /// - Returns: The number of statements that ran.
    func run(_ connection: borrowing Connection) throws -> Int {
        guard script.takesDoubleQuotedTexts else { return try runEditing(connection) }
        return try connection.takingDoubleQuotedTexts { try runEditing(connection) }
    }

    private func runEditing(_ connection: borrowing Connection) throws -> Int {
        guard script.editsSchema else { return try runItems(connection) }
        do {
            return try SchemaEdit.run(connection) { try runItems(connection) }
        } catch let error as LockstepError where error.code == .schemaBroken {
            throw origin.located(error)
        }
    }

    private func runItems(_ connection: borrowing Connection) throws -> Int {
        var statements = 0
        var rebuild: TableRebuild?
        var reported: String?
        for item in script.items {
            switch item.content {
            case .directive(.rebuild(let table)):
                guard rebuild == nil else {
                    throw malformed("a rebuild begins before the CREATE TABLE of the previous rebuild", item)
                }
                rebuild = TableRebuild(table: table)
            case .directive(.set(let column, let expression)):
                guard rebuild != nil else { throw malformed("set requires a rebuild", item) }
                rebuild?.expressions[SQLName(column)] = expression
            case .directive(.dropColumn(let column)):
                guard rebuild != nil else {
                    throw malformed("drop column requires a rebuild", item)
                }
                rebuild?.dropped.insert(SQLName(column))
            case .directive(.report(let what)): reported = what
            case .directive: continue
            case .sql(let sql):
                guard rebuild == nil && reported == nil || !SQLTokens.areBlank(Array(sql.utf8)) else { continue }
                statements += try run(sql, from: item.line, isFirst: statements == 0, &rebuild, &reported, connection)
            }
        }
        guard rebuild == nil else {
            throw LockstepError(
                .migrationMalformed, "\(origin.title): a rebuild has no CREATE TABLE after it",
                hint: "add the table's new definition after `-- lockstep: rebuild table T`", context: origin.context)
        }
        return statements
    }

    /// SQLite's own parser finds the end of each statement.
    private func run(
        _ sql: String, from firstLine: Int, isFirst: Bool, _ rebuild: inout TableRebuild?,
        _ reported: inout String?, _ connection: borrowing Connection
    ) throws -> Int {
        let script = Array(sql.utf8) + [0]
        var position = 0
        var line = firstLine
        var count = 0
        while true {
            let start = ScriptText.skipBlank(script, from: position)
            line += ScriptText.newlines(script[position..<start])
            position = start
            guard position < script.count - 1 else { return count }
            if let boundary = TransactionBoundary(script, from: position, isFirst: isFirst && count == 0),
                self.script.needsForeignKeysOff || boundary.switchesForeignKeys || isTransaction
            {
                guard self.script.needsForeignKeysOff || !boundary.switchesForeignKeys else {
                    throw boundaryRefused(line)
                }
                line += ScriptText.newlines(script[position..<boundary.end])
                position = boundary.end
                continue
            }
            try observe(.statement(file: origin.title, line: line))
            connection.core.watch?.begins(line: line)
            let end: Int
            do {
                if let current = rebuild {
                    end = try current.run(script, from: position, connection, observe: observe)
                    rebuild = nil
                } else {
                    if self.script.editsSchema {
                        try SchemaEdit.requireTextOnly(
                            SQLCursor(script, from: position).tokens.prefix { $0.word != ";" })
                    }
                    end = try connection.with(rights: .migration) {
                        try connection.runStatement(of: script, from: position)
                    }
                }
            } catch let error as LockstepError {
                throw ScriptText.located(error, origin, line: line, isBegun: isBegun)
            }
            guard connection.isInTransaction else {
                let ended = LockstepError(
                    .migrationFailed, "the statement ended the transaction",
                    hint: "remove it: each version already runs in a transaction")
                throw origin.located(ended, line: line)
            }
            if let what = reported {
                reported = nil
                try report(connection.changes, what)
            }
            inspect?(String(decoding: script[position..<end], as: UTF8.self), line)
            count += 1
            line += ScriptText.newlines(script[position..<end])
            position = end
        }
    }

    private func report(_ rows: Int, _ what: String) throws {
        guard rows > 0 else { return }
        let found = LockstepError(.rowsReported, "\(counted(rows, "row")): \(what)")
        try observe(.tolerated(origin.located(found)))
    }

    private func boundaryRefused(_ line: Int) -> LockstepError {
        let error = LockstepError(
            .denied, "a migration cannot end its transaction, and inside it foreign_keys does nothing",
            advice:
                """
                let the engine switch foreign keys off, before the transaction: \
                \(address.advice(.foreignKeysOff))
                """)
        return ScriptText.located(error, origin, line: line, isBegun: isBegun)
    }

    private func malformed(_ what: String, _ item: MigrationScript.Item) -> LockstepError {
        origin.malformed(
            what, line: item.line,
            hint:
                "a rebuild is `-- lockstep: rebuild table T`, then set and drop column as needed, "
                + "then CREATE TABLE T")
    }
}
