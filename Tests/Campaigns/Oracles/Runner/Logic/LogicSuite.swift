import Lockstep

/// All scripts of sqllogictest, each on its own database.
struct LogicSuite {
    /// The maximum number of waiting records, so that a script need not be in memory as records.
    private static let maximumWaiting = 256

    private let request: Request
    private var tally = LogicTally()
    private var file = ""
    private var labels: [String: String] = [:]
    private var statements: [LogicStatement] = []
    private var queries: [LogicQuery] = []

    init(_ request: Request) { self.request = request }

    /// Runs the suite, reports, and returns whether everything is correct.
    mutating func run() async -> Bool {
        for path in request.files({ $0.hasSuffix(".test") }) {
            file = path
            do {
                try await runFile(request.read(path))
            } catch {
                Stop.now("\(path): no database for it can be made: \(error)")
            }
            tally.files += 1
            if tally.files.isMultiple(of: 50) { say("\(tally.files) files, at \(path)") }
        }
        tally.report()
        return tally.wrong == 0
    }

    private mutating func runFile(_ bytes: [UInt8]) async throws {
        let database = try LogicDatabase()
        labels = [:]
        var script = LogicScript(bytes)
        while let record = script.next() {
            // Consecutive statements share a transaction, consecutive queries the readers.
            switch record {
            case .statement(let statement):
                await answerQueries(database)
                statements.append(statement)
                if statements.count == Self.maximumWaiting { runStatements(database) }
            case .query(let query):
                runStatements(database)
                queries.append(query)
                if queries.count == Self.maximumWaiting { await answerQueries(database) }
            case .labelled(let line, let label, let digest):
                await answerQueries(database)
                check(label, digest, line)
            case .skipped: tally.skipped += 1
            case .malformed(let line, let what): tally.isWrong(file, line, what)
            }
        }
        runStatements(database)
        await answerQueries(database)
        try database.close()
    }

    private mutating func runStatements(_ database: borrowing LogicDatabase) {
        guard !statements.isEmpty else { return }
        let before = tally.statements
        tally.statements += statements.count
        if let dropped = request.dropped, dropped > before, dropped <= tally.statements {
            statements.remove(at: dropped - before - 1)
        }
        for (statement, error) in zip(statements, database.run(statements)) {
            switch error {
            case nil where statement.mustFail:
                tally.isWrong(file, statement.line, "the statement succeeds")
            case let error? where tally.isRefusal(error): break
            case let error? where !statement.mustFail:
                tally.isWrong(file, statement.line, "the statement fails: \(error)")
            default: break
            }
        }
        statements = []
    }

    private mutating func answerQueries(_ database: borrowing LogicDatabase) async {
        guard !queries.isEmpty else { return }
        let before = tally.queries
        tally.queries += queries.count
        if let corrupted = request.corrupted, corrupted > before, corrupted <= tally.queries {
            queries[corrupted - before - 1].expected?.append("corrupted")
        }
        let answers = await database.answer(queries)
        for (query, answer) in zip(queries, answers) {
            switch answer {
            case .values(let values): check(query, LogicResult(values))
            case .endedEarly(let values):
                tally.endedEarly += 1
                check(query, LogicResult(values))
            case .columns(let count):
                tally.isWrong(file, query.line, "the query gives \(count) columns")
            case .failed(let error) where tally.isRefusal(error): break
            case .failed(let error):
                tally.isWrong(file, query.line, "the query fails: \(error)")
            }
        }
        queries = []
    }

    private mutating func check(_ query: LogicQuery, _ answer: LogicResult) {
        var result = answer
        tally.values += result.values.count
        result.sort(query.sorting, columns: query.types.count)
        if let label = query.label { check(label, result.digest, query.line) }
        guard let expected = query.expected else {
            tally.unexpecting += 1
            return
        }
        if let difference = result.difference(from: expected, threshold: query.threshold) {
            tally.isWrong(file, query.line, difference)
        }
    }

    private mutating func check(_ label: String, _ digest: String, _ line: Int) {
        guard let known = labels[label] else {
            labels[label] = digest
            return
        }
        if known != digest {
            tally.isWrong(file, line, "another result than before for the label \(label)")
        }
    }
}
