/// The next part of a script without a transaction: a statement that SQLite runs only outside a transaction, a
/// statement in a transaction of the engine, or all statements between a file's own BEGIN and COMMIT.
///
/// A VACUUM or PRAGMA runs twice if the process is killed directly after it, which does no harm.
struct NontransactionalStatements {
    private let script: [UInt8]
    private let origin: ScriptOrigin
    private let segment: Int
    private let start: Int
    let line: Int
    private let kind: Kind
    /// The start of the next part, as far as it is known before this part runs.
    private(set) var end: Int
    private(set) var count = 1
    /// Whether an earlier part of the version has committed.
    private let isBegun: Bool

    private enum Kind {
        case vacuum, pragma, ordinary, group
    }

    /// Nil at the end of the script.
    init?(
        _ sql: String, from offset: Int, line firstLine: Int, segment: Int, _ origin: ScriptOrigin,
        isBegun: Bool = false
    ) throws {
        script = Array(sql.utf8) + [0]
        self.origin = origin
        self.segment = segment
        self.isBegun = isBegun
        start = ScriptText.skipBlank(script, from: min(max(offset, 0), script.count - 1))
        guard start < script.count - 1 else { return nil }
        line = firstLine + ScriptText.newlines(script[..<start])
        end = start
        switch Self.firstWord(script, from: start) {
        case "vacuum": kind = .vacuum
        case "pragma": kind = .pragma
        case "begin": kind = .group
        default: kind = .ordinary
        }
        if kind != .ordinary { end = endOfPlainStatement(from: start) }
        guard kind == .group else { return }
        count = 0
    }

    /// Whether a run can have stopped at an offset: the beginning, the end, or directly after a semicolon that is
    /// a separate token.
    static func endsStatement(at offset: Int, of sql: String) -> Bool {
        let bytes = Array(sql.utf8)
        guard offset > 0, offset < bytes.count else { return offset == 0 || offset == bytes.count }
        return SQLTokens(bytes, from: 0).contains { token in
            token.range.upperBound == offset && token.range.count == 1
                && bytes[token.range.lowerBound] == UInt8(ascii: ";")
        }
    }

    /// Whether SQLite runs it only outside a transaction.
    var runsAlone: Bool { kind == .vacuum || kind == .pragma }

    /// Whether the progress of the version is not beyond the start of this part.
    func isStillNext(_ progress: UnfinishedMigration) -> Bool {
        guard progress.segment == segment else { return false }
        guard case .integer(let offset) = progress.cursor else { return true }
        return offset <= Int64(start)
    }

    /// Its text, after it has run.
    var text: String { String(decoding: script[start..<end], as: UTF8.self) }

    func runAlone(_ connection: borrowing Connection) throws {
        try located(line) {
            guard kind == .pragma else {
                try requirePlainVacuum()
                return try connection.vacuum()
            }
            _ = try connection.with(rights: .program) {
                try connection.runStatement(of: script, from: start)
            }
        }
    }

    /// Refuses VACUUM INTO, which would write an untracked copy.
    private func requirePlainVacuum() throws {
        let text = String(decoding: script[start..<end], as: UTF8.self)
        guard ["vacuum", "vacuum ;", "vacuum main", "vacuum main ;"].contains(SQLTokens.normalize(text)) else {
            throw LockstepError(
                .denied, "only a plain VACUUM can run: \(SQLTokens.redact(text))", hint: "use a backup for a copy")
        }
    }

    /// Runs it inside the open transaction.
    mutating func run(_ connection: borrowing Connection, _ observe: (MigrationEvent) throws -> Void) throws {
        guard kind == .group else {
            try observe(.statement(file: origin.title, line: line))
            end = try runOne(from: start, line, connection)
            return
        }
        var position = end
        while true {
            position = ScriptText.skipBlank(script, from: position)
            let place = line + ScriptText.newlines(script[start..<position])
            switch Self.firstWord(script, from: position) {
            case "commit", "end":
                end = endOfPlainStatement(from: position)
                return
            case nil:
                throw origin.malformed(
                    "BEGIN has no COMMIT after it", line: line, hint: "end the transaction in the same file")
            default:
                try observe(.statement(file: origin.title, line: place))
                position = try runOne(from: position, place, connection)
                count += 1
            }
        }
    }

    private func runOne(
        from position: Int, _ line: Int, _ connection: borrowing Connection
    ) throws -> Int {
        connection.core.watch?.begins(line: line)
        return try located(line) {
            try connection.with(rights: .migration) {
                try connection.runStatement(of: script, from: position)
            }
        }
    }

    private func located<Result>(_ line: Int, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as LockstepError {
            throw ScriptText.located(error, origin, line: line, isBegun: isBegun)
        }
    }

    /// The first semicolon ends a statement that contains semicolons only in strings.
    private func endOfPlainStatement(from start: Int) -> Int {
        let end = SQLTokens(script, from: start).first {
            script[$0.range].elementsEqual([UInt8(ascii: ";")])
        }
        return end?.range.upperBound ?? script.count - 1
    }

    /// Nil at the end of the script.
    private static func firstWord(_ script: [UInt8], from start: Int) -> String? {
        start < script.count - 1 ? SQLCursor(script, from: start, limit: 1).peek() : nil
    }
}
