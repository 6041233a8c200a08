import FaultyCalls
import Foundation
import Lockstep
import SchedulePoints
import SystemPackage

/// One schedule: operation B runs completely, in the other process, at a point of operation A.
struct Schedule {
    let first: Operation
    let second: Operation
    let state: Ground.State

    /// The pair and its state, for reports.
    var name: String { "\(first.rawValue) × \(second.rawValue), \(state.rawValue)" }

    /// When B runs.
    enum Moment: Equatable {
        case never, before, after
        /// At A's point of this number.
        case at(Int)
        /// B runs, and A never does.
        case alone
        /// Neither runs.
        case nobody
    }

    /// The result.
    struct Result: Equatable {
        var first: Operation.Outcome?
        var second: Operation.Outcome?
        /// The folder's final content.
        var content = ""
        /// The number of A's points.
        var points = 0
    }

    /// The closure that runs at the point; a C function has no context.
    nonisolated(unsafe) private static var atPoint: (() -> Void)?

    /// Runs it in a copy of `template`.
    func run(_ moment: Moment, _ template: Ground, in folder: FilePath, _ peer: Peer) throws -> Result {
        let ground = try template.copied(to: folder, state)
        var result = Result()
        var prepared = try first.prepare(ground)
        var holder: Connection? = nil
        if state == .held || state == .logged { holder = try hold(ground) }
        let other = { result.second = peer.run(second, ground) }
        if moment == .before || moment == .alone { other() }
        if moment != .alone, moment != .nobody {
            withoutActuallyEscaping(other) { other in
                Self.atPoint = moment == .before ? nil : other
                arm(ground, moment)
                result.first = first.run(ground, &prepared, side: "A")
                result.points = Int(schedule_points_disarm())
                _ = faulty_calls_disarm()
                Self.atPoint = nil
            }
        }
        prepared.connection = nil
        if moment == .after { other() }
        let held = finish(&holder)
        result.content = [held, ground.content()].filter { !$0.isEmpty }.joined(separator: ", ")
        return result
    }

    private func arm(_ ground: Ground, _ moment: Moment) {
        let at: Int32 = if case .at(let point) = moment { Int32(point) } else { 0 }
        ground.folder.withPlatformString { folder in
            schedule_points_arm(folder, at) { Schedule.atPoint?() }
            faulty_calls_arm(folder, Int32(CALLS_VISIT), 0)
        }
    }

    // MARK: A connection that stays open

    /// Opens a connection and writes, after A has read the log's index.
    private func hold(_ ground: Ground) throws -> Connection {
        let connection = try ground.open()
        try connection.execute("UPDATE item SET v = v || 'h'")
        if state == .held { _ = try connection.checkpoint(.passive) }
        return connection
    }

    /// Writes once more, to a log that either can have restarted, and closes.
    /// - Returns: The outcome, if it is unusual.
    private func finish(_ holder: inout Connection?) -> String {
        guard let connection = holder.take() else { return "" }
        do {
            try connection.execute("UPDATE item SET pad = x'01' WHERE id % 3 = 0")
            return ""
        } catch {
            // Its file can have been replaced by now.
            return error.code == .replaced ? "" : "the holder's write fails: \(error.code.rawValue)"
        }
    }
}
