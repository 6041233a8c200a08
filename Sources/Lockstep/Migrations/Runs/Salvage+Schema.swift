public import SystemPackage

extension Salvage {
    /// Takes the whole schema that these sets make, for the parts of it that cannot be read. Their versions run on a
    /// database in memory, without rows and without keys.
    /// - Throws: The errors of a script that does not run.
    public mutating func takeSchema(from sets: [MigrationSet]) throws {
        var options = ConnectionOptions()
        // Defines the functions that a migration can call.
        options.addition = SealedFields([], hasViews: false)
        let fresh = try Connection.inMemory(options)
        fresh.authorizer.isReplay = true
        for set in sets {
            for migration in set.migrations {
                switch migration {
                case .file(let file): try Self.run(file, of: set.name, fresh)
                case .code(let code):
                    try MigrationTransaction.withForeignKeys(off: code.foreignKeysOff, fresh) {
                        try fresh.with(rights: .migration) { try code.up(fresh) }
                    }
                }
            }
            for file in set.repeatables { try Self.run(file, of: set.name, fresh) }
        }
        try fresh.with(rights: .engine) { try Ledger.prepare(fresh) }
        schema += try fresh.definitions()
    }

    /// Takes the whole schema from a file with its definitions, as `.schema` of a SQLite shell prints them. Other
    /// statements in it are ignored.
    /// - Throws: The errors of reading a file; ``LockstepError/Code/malformedInput`` for one without definitions;
    ///   ``LockstepError/Code/sqlFailed`` for a definition that does not work.
    public mutating func takeSchema(fromSQL file: FilePath) throws {
        let text = try FileAccess.read(file, limit: MigrationSet.defaultLargestFile)
        let statements = Self.definitions(in: text)
        guard !statements.isEmpty else {
            throw LockstepError(
                .malformedInput, "\(file) defines nothing",
                hint: "give the CREATE statements that `.schema` prints for a sound copy", context: .file(file))
        }
        let fresh = try Connection.inMemory()
        try fresh.with(rights: .engine) {
            for sql in statements {
                do {
                    try fresh.execute(SQL(verbatim: sql))
                } catch let error as LockstepError where error.code == .sqlFailed {
                    throw error.located(
                        "\(file): \(SQLTokens.redact(sql, longest: 60))",
                        hint: "correct the statement, or leave it out", context: .file(file))
                }
            }
        }
        schema += try fresh.definitions()
    }

    private static func run(_ file: MigrationFile, of set: String, _ connection: borrowing Connection) throws {
        let replay = ScriptReplay(script: file.up, origin: Migration.file(file).origin(in: set))
        try replay.run(connection) { body in
            let transaction = try Transaction(.immediate, on: connection)
            try body(false)
            try transaction.commit()
        }
    }

    /// The statements that define something, without what SQLite makes by itself.
    private static func definitions(in bytes: [UInt8]) -> [String] {
        var statements: [String] = []
        var (start, depth) = (0, 0)
        for token in SQLTokens(bytes, from: 0) {
            let word = String(decoding: bytes[token.range], as: UTF8.self).asciiLowercased
            switch (token.kind, word) {
            // The body of a trigger, and CASE in it.
            case (.word, "begin"), (.word, "case"): depth += 1
            case (.word, "end"): depth = max(depth - 1, 0)
            case (.symbol, ";") where depth == 0:
                statements.append(String(decoding: bytes[start..<token.range.lowerBound], as: UTF8.self))
                start = token.range.upperBound
            default: break
            }
        }
        statements.append(String(decoding: bytes[start...], as: UTF8.self))
        return statements.filter { sql in
            var cursor = SQLCursor(sql)
            guard cursor.take("create") else { return false }
            return !cursor.tokens.prefix { $0.word != "(" }.contains {
                $0.name.hasPrefix("sqlite_")
            }
        }
    }
}

extension Connection {
    /// The statements of the schema, in the order of its objects.
    fileprivate borrowing func definitions() throws -> [String] {
        try query("SELECT sql FROM main.sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid") {
            row in
            try row[0] as String
        }
    }
}
