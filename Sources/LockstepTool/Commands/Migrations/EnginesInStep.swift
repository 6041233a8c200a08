import ArgumentParser
import Lockstep

/// The engines whose files are compared.
enum EngineChoice: String, ExpressibleByArgument, CaseIterable {
    case both
}

/// Compares the files of a folder for SQLite with those for PostgreSQL.
struct EnginesInStep {
    private let migrations: MigrationOptions

    init(_ migrations: MigrationOptions) { self.migrations = migrations }

    /// The problems of the folder alone, for each set.
    func previews() throws -> [MigrationPreview] {
        let sets = try migrations.sets()
        let others = try migrations.files(for: .postgres)
        return zip(sets, others).map { set, other in
            MigrationPreview(
                set: set.name, steps: [], planFindings: Self.problems(set, other),
                lint: EngineAgreement(set, other).findings(.error))
        }
    }

    /// What keeps the files from running on an empty database of either engine.
    private static func problems(
        _ set: MigrationSet, _ other: MigrationSet
    ) -> [Lockstep.Plan.Finding] {
        let history = MigrationHistory()
        let ours = Lockstep.Plan(set, history: history, target: .latest).findings
        return ours
            + Lockstep.Plan(other, history: history, target: .latest).findings.filter {
                !ours.contains($0)
            }
    }

    /// The differences for each of these sets, which were read for one engine.
    /// - Throws: The errors of reading the sets for the other engine, if it is an error that they differ.
    func findings(
        _ sets: [MigrationSet], _ level: LintFinding.Level
    ) throws -> [[LintFinding]] {
        let others: [MigrationSet]
        do {
            let engine = sets.first?.engine == .postgres ? DatabaseEngine.sqlite : .postgres
            others = try migrations.files(for: engine)
        } catch let error as LockstepError where level != .error {
            // A folder that names its only engine has no files for the other one, and no need of any.
            guard !error.isOfOtherDialect else { return sets.map { _ in [] } }
            // Files for the other engine do not keep this one from running.
            return sets.indices.map { $0 == 0 ? [EngineAgreement.finding(level, error)] : [] }
        }
        return zip(sets, others).map { EngineAgreement($0, $1).findings(level) }
    }
}
