/// SQLite's own check of its b-trees, indexes and free pages.
enum IntegrityCheck {
    static func run(
        _ connection: borrowing Connection
    ) throws -> CheckResult {
        let answers = try connection.query("PRAGMA integrity_check(20)") { row in
            try row[0] as String
        }
        let problems = answers == ["ok"] ? [] : answers
        return (
            problems.isEmpty ? "b-trees and indexes agree" : counted(problems.count, "problem"),
            problems.map { .failure($0) }
        )
    }
}
