import FaultyVFS
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Repeats an operation, failing at the first call to the file layer, then at the second, and so on until the operation
/// completes without a fault.
struct FaultCampaign {
    /// The effect at the call.
    enum Fault: Int32, CaseIterable, Sendable {
        case once, staying, full
    }

    /// The result of the runs.
    struct Outcome {
        /// Runs that met a fault.
        var runs = 0
        /// Runs among these that reported it.
        var errors = 0
        /// One message of each kind.
        var messages: [LockstepError.Code: String] = [:]
        /// Whether the last run completed without a fault.
        var ended = false
        /// Whether it stopped before that, at the end of its time.
        var isStopped = false
    }

    /// The calls that count; all by default.
    var calls = Int32(FAULTY_ALL)
    let fault: Fault
    /// How many calls each run advances beyond the previous one. The long form makes it every call.
    var stride = 9

    /// - Parameters:
    ///   - prepare: Puts a fresh database into the folder.
    ///   - operate: The operation under test.
    ///   - check: Runs after each run, without faults; its argument is whether the operation reported success.
    func run(
        prepare: (DatabaseScratch) throws -> Void, operate: (DatabaseScratch) throws -> Void,
        check: (DatabaseScratch, _ succeeded: Bool) throws -> Void
    ) throws -> Outcome {
        try #require(faulty_vfs_install() == 0)
        var outcome = Outcome()
        let name = Test.current?.name.prefix { $0 != "(" } ?? ""
        guard let part = FaultTests.campaign.begin("\(name), \(fault)") else {
            outcome.isStopped = true
            return outcome
        }
        defer { part.end() }
        let stride = Torture.isLong ? 1 : stride
        for call in Swift.stride(from: 1 + Int(fault.rawValue) % stride, to: 3000, by: stride) where part.goesOn() {
            let scratch = try DatabaseScratch()
            try prepare(scratch)
            scratch.folder.path.withPlatformString {
                faulty_vfs_arm($0, calls, fault.rawValue, Int32(call))
            }
            var failure: (any Error)?
            do { try operate(scratch) } catch { failure = error }
            let counted = Int(faulty_vfs_disarm())
            if let error = failure as? LockstepError {
                outcome.messages[error.code] = "call \(call): \(error.message)"
            } else if let failure {
                Issue.record(failure, "call \(call): not an error of ours")
            }
            do {
                try check(scratch, failure == nil)
            } catch {
                Issue.record(
                    error,
                    "call \(call) (\(fault)), error: \(failure.map { "\($0)" } ?? "none")")
            }
            guard counted >= call else {
                #expect(failure == nil, "call \(call)")
                outcome.ended = true
                return outcome
            }
            outcome.runs += 1
            if failure != nil {
                outcome.errors += 1
                part.count("errors")
            }
        }
        outcome.isStopped = !part.isComplete(for: "the number of errors")
        return outcome
    }
}
