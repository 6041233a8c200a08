internal import Lockstep

extension JobProgress {
    /// A version's statement on this line is about to run.
    init(_ step: Plan.Step, of set: String, line: Int) {
        let phase = step.isUp ? Phase.up : .down
        self.init(Phase(phase.name, of: "\(set) \(step.version)"), step: "line \(line)")
    }

    /// A repeatable migration's statement on this line is about to run.
    init(repeating name: String, of set: String, line: Int) {
        self.init(Phase(Phase.up.name, of: "\(set) \(name)"), step: "line \(line)")
    }

    /// A set waits for a lock.
    init(waitingFor set: String) { self.init(Phase(Phase.waiting.name, of: set)) }
}
