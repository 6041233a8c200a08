import ArgumentParser
import Lockstep

/// Runs migration sets and reports the result.
enum MigrationRun {
    /// Reads a version from the command line.
    static func version(_ text: String) throws -> MigrationVersion {
        guard let version = MigrationVersion(text) else {
            throw ValidationError("expected a version such as 3, 0.10 or 20240131120000")
        }
        return version
    }

    struct Step: Encodable {
        let set: String
        let version: String
        let name: String
        let direction: String
        let statements: Int
        let microseconds: Int64

        init(_ step: MigrationReport.Step) {
            set = step.set
            version = step.version.description
            name = step.name
            direction = step.isUp ? "up" : "down"
            statements = step.statements
            microseconds = step.duration.wholeMicroseconds
        }

        func show() {
            Output.line(
                "\(direction) \(set) \(version) \(name): "
                    + "\(counted(statements, "statement")), \(Output.duration(.microseconds(microseconds)))"
            )
        }
    }

    struct Failure: Encodable {
        let code: String
        let message: String
        let hint: String?

        init(_ error: LockstepError) {
            code = error.code.rawValue
            message = error.message
            hint = error.hint
        }
    }

    /// A repeatable migration that ran.
    struct Repeated: Encodable {
        let set: String
        let name: String
        let statements: Int
        let microseconds: Int64

        init(_ repeated: MigrationReport.Repeated) {
            (set, name) = (repeated.set, repeated.name)
            statements = repeated.statements
            microseconds = repeated.duration.wholeMicroseconds
        }

        func show() {
            Output.line(
                "again \(set) \(name): "
                    + "\(counted(statements, "statement")), \(Output.duration(.microseconds(microseconds)))"
            )
        }
    }

    struct Result: Encodable {
        var steps: [Step] = []
        var repeated: [Repeated] = []
        var notices: [String] = []
        var error: Failure?
    }

    /// Reports the completed versions even if a later one fails.
    static func run(
        _ sets: [MigrationSet], target: Plan.Target, _ options: RunnerOptions,
        on connection: borrowing Connection, _ format: OutputFormat
    ) throws {
        Interruption.expect()
        var result = Result()
        var failure: LockstepError?
        for set in sets where failure == nil {
            var report = MigrationReport()
            do {
                try options.run(set, target, on: connection, into: &report)
            } catch let error as LockstepError {
                failure = error
                result.error = Failure(error)
            }
            result.notices += report.notices.map(\.message)
            result.steps += report.steps.map(Step.init)
            result.repeated += report.repeated.map(Repeated.init)
        }
        switch format {
        case .json: try Output.json(result)
        case .text: show(result)
        }
        if let failure { throw failure }
    }

    private static func show(_ result: Result) {
        for notice in result.notices { Output.note("notice: \(notice)") }
        if result.steps.isEmpty, result.repeated.isEmpty, result.error == nil {
            Output.line("nothing to do")
        }
        for step in result.steps { step.show() }
        for repeated in result.repeated { repeated.show() }
    }
}
