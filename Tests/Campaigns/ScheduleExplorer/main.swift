import EndWithParent
import FaultyCalls
import Foundation
import Lockstep
import SchedulePoints
import SystemPackage

// At every point at which operation A accesses the file system, operation B runs completely in another process; the
// result must be that of A and then B, or of B and then A, or one of them was refused.
//
//   ScheduleExplorer show FOLDER SEED
//   ScheduleExplorer point FOLDER SEED FIRST:SECOND:STATE POINT
//   ScheduleExplorer explore FOLDER SEED SECONDS POINTS on|off [FIRST:SECOND[:STATE] …]
//
// "show" prints the result of each operation alone. "point" runs one schedule, prints its result and leaves the folder
// unchanged. "explore" runs every ordered pair from every state, or those named, each at the POINTS of A:
// N is every Nth, FROM-TO are all of a range. With "off" the guards of files are switched off: the control, which ends
// with a pair's first finding. It prints findings, refusals and counts, and exits with 3 if there are findings.

lockstep_end_with_parent()
let arguments = CommandLine.arguments
faulty_calls_set_visitor(schedule_point)
guard schedule_points_install() == 0 else { exit(70) }

if arguments.count == 2, arguments[1] == "serve" {
    Peer.serve()
    exit(0)
}
if arguments.count == 4, arguments[1] == "show", let seed = UInt64(arguments[3]) {
    let exploration = try Exploration(seed: seed, in: FilePath(arguments[2]))
    for operation in Operation.allCases { print(try exploration.shown(operation)) }
    exit(0)
}
if arguments.count == 6, arguments[1] == "point", let seed = UInt64(arguments[3]), let point = Int(arguments[5]) {
    let names = arguments[4].split(separator: ":").map(String.init)
    guard names.count == 3, let first = Operation(rawValue: names[0]),
        let second = Operation(rawValue: names[1]), let state = Ground.State(rawValue: names[2])
    else { exit(64) }
    let exploration = try Exploration(seed: seed, in: FilePath(arguments[2]))
    let schedule = Schedule(first: first, second: second, state: state)
    print(try exploration.run(schedule, .at(point)))
    exit(0)
}
guard arguments.count >= 7, arguments[1] == "explore", let seed = UInt64(arguments[3]),
    let seconds = Int(arguments[4]), let points = Exploration.points(arguments[5])
else { exit(64) }
let isControl = arguments[6] == "off"
if isControl { turnFileGuardsOff() }

var schedules: [Schedule] = []
for first in Operation.allCases {
    for second in Operation.allCases {
        for state in Ground.State.allCases {
            let names = [
                "\(first.rawValue):\(second.rawValue)", "\(first.rawValue):\(second.rawValue):\(state.rawValue)",
            ]
            if arguments.count == 7 || names.contains(where: arguments.dropFirst(7).contains) {
                schedules.append(Schedule(first: first, second: second, state: state))
            }
        }
    }
}

do {
    var exploration = try Exploration(seed: seed, in: FilePath(arguments[2]))
    let end = ContinuousClock.now + .seconds(seconds)
    for schedule in schedules {
        try exploration.explore(schedule, points, untilFound: isControl, until: end)
    }
    for (name, count) in exploration.refusals.sorted(by: { $0.key < $1.key }) {
        print("refused: \(name) \(count)")
    }
    for (name, count) in exploration.pairs.sorted(by: { $0.key < $1.key }) {
        print("findings: \(name) \(count)")
    }
    print(
        "seed \(seed): \(exploration.count) schedules of \(schedules.count) pairs, "
            + "\(exploration.findings) findings, \(checkpointGuardStops()) checkpoints stopped, "
            + (exploration.isStopped ? "stopped at its time" : "complete")
    )
    exit(exploration.findings == 0 ? 0 : 3)
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
