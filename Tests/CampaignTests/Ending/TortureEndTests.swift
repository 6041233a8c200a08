import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport

/// However `make torture` ends, it leaves no process: neither a campaign's tests, nor the programs that they started.
@Suite(
    "The end of torture", .serialized, .timeLimit(.minutes(5)),
    .enabled(if: MarkedProcesses.areVisible, "there is no /proc"))
struct TortureEndTests {
    /// Who gets which signal.
    enum End: CaseIterable {
        case interrupt, terminate, kill, killOfCaller, killOfGuardian
    }

    private let folder: TemporaryFolder
    private let processes = MarkedProcesses()

    init() throws { folder = try TemporaryFolder() }

    /// A short torture that has begun: its campaign has a program that works.
    private func torture() throws -> Process {
        let runner = Process()
        runner.executableURL = URL(filePath: "/bin/sh")
        runner.currentDirectoryURL = URL(filePath: Programs.package.string)
        runner.arguments = [
            "-c", "python3 Tests/Campaigns/Torture/run --program \"$1\" --logs \"$2\" 5 KilledWriterTests; exit $?",
            "sh", Programs.path("lockstepPackageTests.xctest").string, folder.path.string,
        ]
        runner.environment = processes.environment
        let output = folder.file("output").string
        try #require(FileManager.default.createFile(atPath: output, contents: nil))
        runner.standardOutput = FileHandle(forWritingAtPath: output)
        runner.standardError = runner.standardOutput
        try runner.run()
        try #require(processes.wait { !$0.named("Worker").isEmpty }, "the campaign does not begin")
        return runner
    }

    @Test("No process is left, and a campaign without a count has failed", arguments: End.allCases)
    func end(_ end: End) throws {
        let caller = try torture()
        let runner = try #require(processes.found.named("Tests/Campaigns/Torture/run").first)
        #expect(processes.found.named("Tests/Campaigns/Torture/group.py").count == 1)
        #expect(processes.found.named("lockstepPackageTests.xctest").count >= 1)
        switch end {
        case .interrupt: kill(runner, SIGINT)
        case .terminate: kill(runner, SIGTERM)
        case .kill: kill(runner, SIGKILL)
        case .killOfCaller: kill(caller.processIdentifier, SIGKILL)
        case .killOfGuardian:
            for guardian in processes.found.named("Tests/Campaigns/Torture/group.py") {
                kill(guardian, SIGKILL)
            }
        }
        caller.waitUntilExit()
        #expect(processes.wait { $0.isEmpty }, "\(processes.found)")
        let text = try String(contentsOfFile: folder.file("output").string, encoding: .utf8)
        switch end {
        case .interrupt, .terminate, .killOfCaller:
            #expect(
                text.contains(
                    /KilledWriterTests, \d+ s: passed; seed \d+, \d+ steps, .* kills, .* stopped by a signal/
                ),
                "\(text)")
        case .killOfGuardian:
            #expect(text.contains(/KilledWriterTests, \d+ s: FAILED: exit code/), "\(text)")
        case .kill: #expect(!text.contains("passed"), "\(text)")
        }
        let code: Int32 =
            switch end {
            case .interrupt: 128 + SIGINT
            case .terminate: 128 + SIGTERM
            case .kill: 128 + SIGKILL
            case .killOfCaller: SIGKILL
            case .killOfGuardian: 1
            }
        #expect(caller.terminationStatus == code)
    }
}

/// The processes that a test has started, and all that came from them: they have a variable in their environment.
private struct MarkedProcesses {
    /// The command lines, by the numbers of the processes.
    struct Found: CustomStringConvertible {
        var commands: [pid_t: String] = [:]

        var isEmpty: Bool { commands.isEmpty }
        var description: String { commands.values.sorted().joined(separator: "\n") }

        /// The processes with this word in the first two words of their command lines.
        func named(_ name: String) -> [pid_t] {
            commands.filter { command in
                command.value.split(separator: " ").prefix(2).contains { $0.hasSuffix(name) }
            }.map(\.key)
        }
    }

    static let areVisible = FileManager.default.fileExists(atPath: "/proc/self/environ")
    private let mark = "LOCKSTEP_TEST_MARK=\(UUID().uuidString)"

    var environment: [String: String] {
        let parts = mark.split(separator: "=").map(String.init)
        return ProcessInfo.processInfo.environment.merging([parts[0]: parts[1]]) { $1 }
    }

    /// Those that run now. One that has ended, and whose parent has not noticed it yet, has no environment.
    var found: Found {
        var found = Found()
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        for number in numbers.compactMap({ pid_t($0) }) {
            guard let variables = try? Bytes.read(FilePath("/proc/\(number)/environ")), Bytes.contain(variables, mark),
                let words = try? Bytes.read(FilePath("/proc/\(number)/cmdline"))
            else { continue }
            found.commands[number] = String(decoding: words.map { $0 == 0 ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
        }
        return found
    }

    /// Looks again and again until this holds; false if it does not hold for a minute.
    func wait(until isTrue: (Found) -> Bool) -> Bool {
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            if isTrue(found) { return true }
            sched_yield()
        }
        return false
    }
}
