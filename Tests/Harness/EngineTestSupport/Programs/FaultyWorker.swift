import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// Runs the subjects of Tests/Harness/Worker that can meet a fault at one of the system calls that change files.
enum FaultyWorker {
    /// Whether calls are counted on this system.
    static let isAble = FileManager.default.fileExists(atPath: "/proc")

    /// A call that changes a file; of consecutive calls with the same action on the same file, the first.
    struct Call: Equatable {
        let number: Int
        let action: String
        let name: String
    }

    /// How a program ended.
    enum Outcome: Equatable {
        case killed, failed, succeeded
    }

    /// The work of a program; the calls of a killed one are not known.
    struct Run {
        let outcome: Outcome
        /// The number of its calls.
        var count = 0
        /// The calls at which it changed from one action to the next.
        var calls: [Call] = []
        /// Its error, the code first.
        var reported = ""
    }

    /// Runs `subject`; without a fault unless the caller names one, and a call that meets it.
    static func run(
        _ subject: String, _ action: String, in folder: FilePath, _ fault: String = "kill", at call: Int = .max >> 33
    ) async throws -> Run {
        let result = try await Subprocess.run(
            .path(Programs.path("Worker")), arguments: [subject, action, folder.string, fault, "\(call)"],
            output: .string(limit: 100_000), error: .string(limit: 10_000))
        let lines = result.standardOutput.split(separator: "\n").map { $0.split(separator: " ") }
        let count = lines.first.flatMap { Int($0[0]) } ?? 0
        let calls = lines.dropFirst().map { words in
            Call(number: Int(words[0]) ?? 0, action: String(words[1]), name: String(words[2]))
        }
        let reported = result.standardError
        switch result.terminationStatus {
        case .signaled(SIGKILL): return Run(outcome: .killed)
        case .exited(0):
            return Run(outcome: .succeeded, count: count, calls: calls, reported: reported)
        case .exited(1):
            return Run(outcome: .failed, count: count, calls: calls, reported: reported)
        default:
            Issue.record("\(subject): \(result.terminationStatus): \(reported)")
            return Run(outcome: .failed)
        }
    }

    /// Makes the folder that a simulated power loss needs.
    static func makeLost(in folder: FilePath) throws {
        try FileManager.default.createDirectory(
            atPath: folder.appending("lost").string, withIntermediateDirectories: false)
    }
}

extension FaultyWorker.Run {
    /// This many of the steps, spread evenly; under torture all of them, and as many of the calls between.
    func chosen(_ some: Int, inTorture many: Int = 200) -> [Int] {
        let steps = calls.map(\.number)
        if steps.isEmpty { Issue.record("no call was counted") }
        guard !Torture.isLong else {
            let between = stride(from: 1, through: count, by: max(count / many, 1))
            return Set(steps).union(between).sorted()
        }
        return stride(from: 0, to: steps.count, by: max(steps.count / some, 1)).map { steps[$0] }
    }
}
