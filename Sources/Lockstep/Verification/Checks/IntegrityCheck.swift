extension VerificationReport.Check {
    /// SQLite's own check of its structures.
    public static let integrity = Self("integrity", isOfFile: true, failure: .damaged) { _ in
        .onConnection(.init(isAlone: true, run: IntegrityCheck.run))
    }
}

/// SQLite's own check of its b-trees, indexes and free pages.
enum IntegrityCheck {
    static func run(_ connection: borrowing Connection) throws -> CheckResult {
        let (problems, collations) = try IntegrityPragma.check(connection, limit: 20)
        return (
            problems.isEmpty ? "b-trees and indexes agree" : counted(problems.count, "problem"),
            problems.map { .failure($0) }
                + collations.map { .notice("\($0) is a collation of another program, which alone can check its order") }
        )
    }
}
