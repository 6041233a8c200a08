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
        let waitedMicroseconds: Int64?

        init(_ step: MigrationReport.Step) {
            set = step.set
            version = step.version.description
            name = step.name
            direction = step.isUp ? "up" : "down"
            statements = step.statements
            microseconds = step.duration.wholeMicroseconds
            waitedMicroseconds = step.waited > .zero ? step.waited.wholeMicroseconds : nil
        }

        func show() {
            Output.line(
                "\(direction) \(set) \(version) \(name): "
                    + "\(counted(statements, "statement")), "
                    + MigrationRun.time(microseconds, waited: waitedMicroseconds))
        }
    }

    /// The end of a line: how long the step took, and how long it has waited, if it has.
    private static func time(_ microseconds: Int64, waited: Int64?) -> String {
        let wait = waited.map {
            ", after waiting \(Output.duration(.microseconds($0))) for the lock"
        }
        return Output.duration(.microseconds(microseconds)) + (wait ?? "")
    }

    /// A repeatable migration that ran.
    struct Repeated: Encodable {
        let set: String
        let name: String
        let statements: Int
        let microseconds: Int64
        let waitedMicroseconds: Int64?

        init(_ repeated: MigrationReport.Repeated) {
            (set, name) = (repeated.set, repeated.name)
            statements = repeated.statements
            microseconds = repeated.duration.wholeMicroseconds
            waitedMicroseconds = repeated.waited > .zero ? repeated.waited.wholeMicroseconds : nil
        }

        func show() {
            Output.line(
                "again \(set) \(name): "
                    + "\(counted(statements, "statement")), "
                    + MigrationRun.time(microseconds, waited: waitedMicroseconds))
        }
    }

    struct Result: Encodable {
        var steps: [Step] = []
        var repeated: [Repeated] = []
        var notices: [String] = []
        var error: JSONObject?
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
                result.error = error.json
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
