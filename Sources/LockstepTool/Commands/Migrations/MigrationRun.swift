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

    /// Runs sets on a session's database. Versions can seal columns, so that nobody can destroy a key meanwhile.
    static func run(
        _ sets: [MigrationSet], target: Lockstep.Plan.Target, _ options: RunnerOptions,
        in session: borrowing Session, _ format: OutputFormat
    ) throws {
        try session.whileFieldsUsed {
            let connection = try session.connect(canBeFirst: true)
            session.remember(connection)
            // Also remembers the versions committed before a failure.
            defer { session.rememberSealed(connection) }
            try UserVersion.noting(connection) { connection in
                try run(sets, target: target, options, on: connection, format)
            }
        }
    }

    /// Reports the completed versions even if a later one fails.
    static func run(
        _ sets: [MigrationSet], target: Lockstep.Plan.Target, _ options: RunnerOptions,
        _ limits: Limits? = nil, on connection: borrowing Connection, _ format: OutputFormat
    ) throws {
        Interruption.expect()
        try report(sets, format) { set, report in
            try options.run(set, target, limits, on: connection, into: &report)
        }
    }

    /// Runs sets one after the other, and reports the completed versions even if a later one fails.
    static func report(
        _ sets: [MigrationSet], _ format: OutputFormat, _ body: (MigrationSet, inout MigrationReport) throws -> Void
    ) throws {
        var result = MigrationReport()
        var failure: LockstepError?
        for set in sets where failure == nil {
            do {
                try body(set, &result)
            } catch let error as LockstepError {
                failure = error
            }
        }
        switch format {
        case .json:
            try Output.json(
                [
                    "steps": result.steps.map(\.json), "repeated": result.repeated.map(\.json),
                    "notices": result.notices.map(\.message), "error": failure?.json,
                ] as JSONObject)
        case .text: show(result, failure)
        }
        if let failure { throw failure }
    }

    private static func show(_ result: MigrationReport, _ failure: LockstepError?) {
        for notice in result.notices { Output.note("notice: \(notice.message)") }
        if result.steps.isEmpty, result.repeated.isEmpty, failure == nil {
            Output.line("nothing to do")
        }
        for step in result.steps { step.show() }
        for repeated in result.repeated { repeated.show() }
    }
}

extension MigrationReport.Step {
    /// The step for programs. Fields are only ever added.
    var json: JSONObject {
        [
            "set": set, "version": version.description, "name": name, "direction": isUp ? "up" : "down",
            "statements": statements, "microseconds": duration.wholeMicroseconds,
            "waitedMicroseconds": waited.microsecondsIfAny, "effects": effects.map(\.json),
        ]
    }

    func show() {
        Output.line(
            "\(isUp ? "up" : "down") \(set) \(version) \(name): "
                + "\(counted(statements, "statement")), \(duration.after(waited))")
        // Rows of a table that had none before are no news.
        for one in effects where one.standing > 0 || one.effects.contains(where: { $0.kind != .new }) {
            Output.line("    \(one)")
        }
    }
}

extension MigrationReport.Repeated {
    /// The repeatable migration for programs. Fields are only ever added.
    fileprivate var json: JSONObject {
        [
            "set": set, "name": name, "statements": statements, "microseconds": duration.wholeMicroseconds,
            "waitedMicroseconds": waited.microsecondsIfAny,
        ]
    }

    fileprivate func show() {
        Output.line("again \(set) \(name): \(counted(statements, "statement")), \(duration.after(waited))")
    }
}

extension Duration {
    fileprivate var microsecondsIfAny: Int64? { self > .zero ? wholeMicroseconds : nil }

    /// The end of a line: how long a step took, and how long it has waited, if it has.
    fileprivate func after(_ waited: Duration) -> String {
        Output.duration(self) + (waited > .zero ? ", after waiting \(Output.duration(waited)) for the lock" : "")
    }
}
