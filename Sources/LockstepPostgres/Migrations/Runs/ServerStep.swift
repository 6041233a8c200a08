internal import Lockstep

/// A step that a server has committed, for the report of the run.
struct ServerStep {
    private let step: MigrationReport.Step
    private let notices: [LockstepError]

    init(
        _ step: Plan.Step, of set: String, _ script: ServerScript, duration: Duration,
        waited: Duration, notices: [LockstepError]
    ) {
        self.step = MigrationReport.Step(
            set: set, version: step.version, name: step.name, isUp: step.isUp, statements: script.statements.count,
            duration: duration, waited: Self.worthNaming(waited))
        self.notices = notices
    }

    /// A wait that is none but for the way to the server and back.
    static func worthNaming(_ waited: Duration) -> Duration {
        waited > .milliseconds(100) ? waited : .zero
    }

    func add(to report: inout MigrationReport) {
        report.steps.append(step)
        Self.add(notices, to: &report)
    }

    static func add(_ notices: [LockstepError], to report: inout MigrationReport) {
        for notice in notices where !report.notices.contains(notice) {
            report.notices.append(notice)
        }
    }
}
