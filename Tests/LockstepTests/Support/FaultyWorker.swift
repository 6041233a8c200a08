import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// Runs the programs of the tests that meet with a fault at one of the system's calls that change files.
enum FaultyWorker {
    /// Whether campaigns go through all calls, by LOCKSTEP_TORTURE=1, or through some.
    static let isTorture = ProcessInfo.processInfo.environment["LOCKSTEP_TORTURE"] != nil

    /// Whether calls are counted here.
    static let isAble = FileManager.default.fileExists(atPath: "/proc")

    /// A call that changes a file; of those that do the same to the same file in turn the first.
    struct Call: Equatable {
        let number: Int
        let action: String
        let name: String
    }

    /// How a program ended.
    enum Outcome: Equatable {
        case killed, failed, succeeded
    }

    /// What a program did; of one that was killed its calls are not known.
    struct Run {
        let outcome: Outcome
        /// How many calls it made.
        var count = 0
        /// Those at which it went from one thing to the next.
        var calls: [Call] = []
        /// What it told of its error, the error's code first.
        var told = ""
    }

    /// Runs `program`; without a fault unless one is named, and a call that meets it.
    static func run(
        _ program: String, _ action: String, in folder: FilePath, _ fault: String = "kill",
        at call: Int = .max >> 33
    ) async throws -> Run {
        let result = try await Subprocess.run(
            .path(Programs.path(program)),
            arguments: [action, folder.string, fault, "\(call)"],
            output: .string(limit: 100_000), error: .string(limit: 10_000))
        let lines = result.standardOutput.split(separator: "\n").map { $0.split(separator: " ") }
        let count = lines.first.flatMap { Int($0[0]) } ?? 0
        let calls = lines.dropFirst().map { words in
            Call(number: Int(words[0]) ?? 0, action: String(words[1]), name: String(words[2]))
        }
        let told = result.standardError
        switch result.terminationStatus {
        case .signaled(SIGKILL): return Run(outcome: .killed)
        case .exited(0): return Run(outcome: .succeeded, count: count, calls: calls, told: told)
        case .exited(1): return Run(outcome: .failed, count: count, calls: calls, told: told)
        default:
            Issue.record("\(program): \(result.terminationStatus): \(told)")
            return Run(outcome: .failed)
        }
    }

    /// Makes the folder that a loss of power needs.
    static func makeLost(in folder: FilePath) throws {
        try FileManager.default.createDirectory(
            atPath: folder.appending("lost").string, withIntermediateDirectories: false)
    }
}

extension FaultyWorker.Run {
    /// So many of the steps, spread evenly; in the torture all of them, and so many of the calls between.
    func chosen(_ some: Int, inTorture many: Int = 200) -> [Int] {
        let steps = calls.map(\.number)
        guard !FaultyWorker.isTorture else {
            let between = stride(from: 1, through: count, by: max(count / many, 1))
            return Set(steps).union(between).sorted()
        }
        return stride(from: 0, to: steps.count, by: max(steps.count / some, 1)).map { steps[$0] }
    }
}
