/// A change of data that takes too long for one transaction: a statement that runs in batches over the rows of a
/// table in key order, so that other connections can write in between.
///
///     -- lockstep: backfill movie batch=1000
///     UPDATE movie SET decade = year / 10 * 10 WHERE rowid BETWEEN :first AND :last;
///
/// `:first` and `:last` are the keys of the first and last row of a batch. Each batch is one transaction, which
/// also records the progress: after a crash at any point, the next run continues after the last complete batch.
struct Backfill: Sendable, Equatable {
    @Exact private(set) var table: String
    let batch: Int
    @Exact private(set) var sql: String
    /// The line in the file where the statement begins.
    let line: Int

    /// Cuts the first statement from `text`. It ends at the first semicolon outside of a string, because a
    /// statement that changes rows contains no other. Nil if there is no statement.
    static func cut(
        _ text: String, _ line: Int, _ table: String, _ batch: Int
    ) -> (Backfill, after: (sql: String, line: Int))? {
        let bytes = Array(text.utf8)
        func newlines(_ range: Range<Int>) -> Int { bytes[range].count { $0 == 0x0A } }
        var start: Int?
        for token in SQLTokens(text) {
            let isEnd = bytes[token.range].elementsEqual([UInt8(ascii: ";")])
            if start == nil, token.kind != .space, token.kind != .comment, !isEnd {
                start = token.range.lowerBound
            }
            guard let start, isEnd else { continue }
            let end = token.range.upperBound
            let backfill = Backfill(
                table: table, batch: batch, sql: String(decoding: bytes[start..<token.range.lowerBound], as: UTF8.self),
                line: line + newlines(0..<start))
            let rest = String(decoding: bytes[end...], as: UTF8.self)
            return (backfill, (rest, line + newlines(0..<end)))
        }
        guard let start else { return nil }
        let sql = String(decoding: bytes[start...], as: UTF8.self)
        return (
            Backfill(table: table, batch: batch, sql: sql, line: line + newlines(0..<start)),
            ("", line + newlines(0..<bytes.count))
        )
    }

    static func statementMissing(_ origin: ScriptOrigin, _ line: Int) -> LockstepError {
        origin.malformed(
            "a backfill has no statement after it", line: line,
            hint: "add a statement such as `UPDATE t SET … WHERE rowid BETWEEN :first AND :last`")
    }

    // MARK: Running

    /// A completed batch.
    struct Batch {
        let last: Value
        let rows: Int
    }

    /// Runs the batch after the key `cursor`; a null cursor starts at the first row. Nil if no rows remain.
    /// - Parameter allowed: The tables that may lose rows.
    func runBatch(
        after cursor: Value, allowed: Set<SQLName>, on connection: borrowing Connection
    ) throws -> Batch? {
        let key = try BackfillKey(table, connection)
        guard let range = try key.range(after: cursor, batch, connection) else { return nil }
        try run(from: range.first, to: range.last, key, allowed, connection)
        return Batch(last: range.last, rows: range.rows)
    }

    /// The condition for the rows of the batch after the key `cursor`; nil if no rows remain.
    func condition(after cursor: Value, on connection: borrowing Connection) throws -> String? {
        let key = try BackfillKey(table, connection)
        guard let range = try key.range(after: cursor, batch, connection) else { return nil }
        let keys = "\(Self.literal(range.first)) AND \(Self.literal(range.last))"
        return "\(key.name) BETWEEN \(keys)"
    }

    /// A value in SQL, compared as if it were bound.
    private static func literal(_ value: Value) -> String {
        switch value {
        case .null: "NULL"
        case .integer(let number): "\(number)"
        case .real(let number): number.isInfinite ? (number > 0 ? "9e999" : "-9e999") : "\(number)"
        // The sign takes the type of the CAST away.
        case .text(let text): "+CAST(x'\(Hex.encode(Array(text.utf8)))' AS TEXT)"
        case .blob(let bytes): "x'\(Hex.encode(bytes))'"
        }
    }

    /// Finds errors in the backfill by running a batch of no rows.
    func check(
        _ origin: ScriptOrigin, _ allowed: Set<SQLName>, _ connection: borrowing Connection
    ) throws {
        do {
            let key = try BackfillKey(table, connection)
            try run(from: .null, to: .null, key, allowed, connection)
        } catch let error as LockstepError {
            throw origin.located(error, line: line)
        }
    }

    private func run(
        from first: Value, to last: Value, _ key: BackfillKey, _ allowed: Set<SQLName>,
        _ connection: borrowing Connection
    ) throws {
        try connection.with(rights: .migration) {
            let statement = try connection.prepare(SQL(verbatim: sql))
            try requireHarmless(statement, key, allowed, connection)
            do {
                try statement.bind(named: ["first": first, "last": last])
            } catch let error as LockstepError where error.code == .bindMismatch {
                throw LockstepError(
                    .migrationMalformed, "the backfill's statement does not select its rows: \(error.message)",
                    hint: "use both keys: … WHERE \(key.name) BETWEEN :first AND :last", context: error.context)
            }
            try statement.run()
        }
    }

    /// Rejects a statement that can remove rows. Counting all rows before and after each batch would cost more
    /// than the batch.
    private func requireHarmless(
        _ statement: borrowing Statement, _ key: BackfillKey, _ allowed: Set<SQLName>,
        _ connection: borrowing Connection
    ) throws {
        guard !statement.isReadOnly else {
            throw LockstepError(
                .migrationMalformed, "the backfill's statement changes nothing", hint: "use an UPDATE or an INSERT")
        }
        let use = statement.prepared.use
        var endangered = use.deleted
        for name in use.written where try statement.prepared.mayReplace || replaces(name, connection) {
            endangered.insert(name)
        }
        if let name = endangered.subtracting(allowed).min() {
            throw LockstepError(
                .rowsLost, "the backfill can remove rows of \(name.folded)",
                hint:
                    "if that is intended, declare it: `-- lockstep: allow loss of table \(name.folded)`",
                context: .init(table: name.folded))
        }
        let moves = use.updated.contains {
            $0.table == SQLName(table) && key.aliases.contains($0.column)
        }
        guard !moves else {
            throw LockstepError(
                .migrationMalformed, "the backfill changes \(key.name), the key that orders its batches of \(table)",
                hint: "change keys in one transaction, without a backfill",
                context: .init(table: table, column: key.name))
        }
    }

    /// Whether a constraint of the table uses ON CONFLICT REPLACE.
    private func replaces(_ table: SQLName, _ connection: borrowing Connection) throws -> Bool {
        let sql: String? = try connection.value(
            "SELECT sql FROM main.sqlite_schema WHERE type = 'table' AND lower(name) = ?", table.folded)
        return sql.map { SQLTokens.normalize($0).contains("on conflict replace") } ?? false
    }
}
