import Foundation
import Lockstep

/// A separate encrypted database for one script, with the calls that a program would use.
struct LogicDatabase: ~Copyable {
    /// The result of a query.
    enum Answer: Sendable {
        case values([String])
        /// The rows before the query failed, if it did.
        case endedEarly([String])
        case columns(Int)
        case failed(any Error)
    }

    private let store: Store
    /// The number of concurrent queries.
    private let width = 2

    init() throws {
        var options = StoreOptions()
        // The suite tests answers; nothing has to survive a power loss.
        options.connection.synchronous = .normal
        store = try Store.temporary(options: options)
    }

    func close() throws { try store.blocking.close() }

    /// Runs statements in one transaction, each undone alone if it fails, and returns their errors.
    func run(_ statements: [LogicStatement]) -> [(any Error)?] {
        var errors: [(any Error)?] = []
        do {
            try store.blocking.write { connection in
                errors = []
                for statement in statements {
                    errors.append(try Self.run(statement, connection))
                }
            }
            return errors
        } catch {
            // A statement has ended the transaction, as OR ROLLBACK does.
            return statements.map { statement in
                do {
                    try store.blocking.write { connection in
                        try connection.run(script: statement.sql)
                    }
                    return nil
                } catch {
                    return error
                }
            }
        }
    }

    private static func run(
        _ statement: LogicStatement, _ connection: borrowing Connection
    ) throws -> (any Error)? {
        do {
            try connection.savepoint { connection in try connection.run(script: statement.sql) }
            return nil
        } catch {
            guard connection.isInTransaction else { throw error }
            return error
        }
    }

    /// Runs queries on the readers.
    func answer(_ queries: [LogicQuery]) async -> [Answer] {
        let (store, width) = (store, width)
        return await withTaskGroup(of: [(Int, Answer)].self) { group in
            for worker in 0..<min(width, queries.count) {
                group.addTask {
                    var answers: [(Int, Answer)] = []
                    for index in stride(from: worker, to: queries.count, by: width) {
                        answers.append((index, await Self.answer(queries[index], store)))
                    }
                    return answers
                }
            }
            var answers = [Answer](repeating: .columns(0), count: queries.count)
            for await part in group { for (index, answer) in part { answers[index] = answer } }
            return answers
        }
    }

    private static func answer(_ query: LogicQuery, _ store: Store) async -> Answer {
        do {
            return try await store.read { connection in
                let statement = try connection.prepare(SQL(verbatim: query.sql))
                let columns = statement.columnNames.count
                guard columns == query.types.count else { return .columns(columns) }
                var values: [String] = []
                do {
                    try statement.forEach { row in
                        for column in 0..<columns {
                            let type = query.types[column]
                            values.append(try LogicValue.text(row, column, as: type, connection))
                        }
                    }
                } catch let error as LockstepError where error.code == .sqlFailed {
                    // The suite expects the rows before the point at which a query fails.
                    return .endedEarly(values)
                }
                return .values(values)
            }
        } catch {
            return .failed(error)
        }
    }
}
