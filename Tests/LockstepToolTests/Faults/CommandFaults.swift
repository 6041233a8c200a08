import Foundation
import Subprocess
import SystemPackage
import TestSupport

/// Runs commands of the tool with a fault at one of the system calls that change files (Tests/Harness/FaultyCalls).
struct CommandFaults {
    #if os(Linux)
    static let isPossible = true
    #else
    static let isPossible = false
    #endif

    /// The faults, with the numbers that FaultyCalls gives them.
    enum Fault: Int, CaseIterable, Sendable {
        case kill = 0
        case tear, once, staying, full, lose, lie

        /// Whether the process ends at the call. It does not if the call only fails.
        var ends: Bool { [.kill, .tear, .lose, .lie].contains(self) }
    }

    /// The result of a run.
    struct Run {
        let status: TerminationStatus
        let errors: String
        /// How many calls it made; nil if it was killed.
        let calls: Int?
    }

    let scenario: CommandScenario
    private let folder: TemporaryFolder
    private let library: FilePath
    private let shell: ToolShell

    private var template: FilePath { folder.file("template") }
    var work: FilePath { folder.file("work") }

    /// Creates the command's initial state.
    /// - Parameter library: The watched functions, from ``makeLibrary(in:)``.
    init(_ scenario: CommandScenario, library: FilePath) async throws {
        self.scenario = scenario
        self.library = library
        folder = try TemporaryFolder()
        shell = ToolShell(home: folder.path)
        try FileManager.default.createDirectory(
            atPath: folder.file("template").string, withIntermediateDirectories: false)
        let made = try await shell.run(
            CommandScenario.basics + scenario.setup + "mkdir lost\n", in: folder.file("template"))
        guard made.status == .exited(0) else {
            throw Failure("\(scenario): \(made.errors)")
        }
    }

    /// A harness that does not work.
    struct Failure: Error {
        let message: String
        init(_ message: String) { self.message = message }
    }

    /// Builds the watched functions as a library that a program loads before others.
    static func makeLibrary(in folder: TemporaryFolder) async throws -> FilePath {
        let path = folder.file("calls.so")
        let source = Programs.package.appending("Tests/Harness/FaultyCalls")
        let files = ["faulty_calls.c", "faulty_preload.c", "lost_power.c"].map {
            source.appending($0).string
        }
        let result = try await Subprocess.run(
            .name("clang"),
            arguments: .init(
                [
                    "-shared", "-fPIC", "-O1", "-I", source.appending("include").string, "-o",
                    path.string,
                ]
                    + files), output: .discarded, error: .string(limit: 10_000))
        guard result.terminationStatus == .exited(0) else { throw Failure(result.standardError) }
        return path
    }

    // MARK: Running

    /// Restores the folder to the command's initial state.
    func restore() throws {
        let files = FileManager.default
        if files.fileExists(atPath: work.string) { try files.removeItem(atPath: work.string) }
        try files.copyItem(atPath: template.string, toPath: work.string)
    }

    /// Runs the command; with a fault at the call of this number, counting from 1.
    func run(_ fault: Fault? = nil, at call: Int = 0) async throws -> Run {
        var arguments = scenario.command.split(separator: " ").map(String.init)
        if let place = arguments.firstIndex(of: "RECIPIENT") {
            arguments[place] = try await shell.run(
                "lockstep keys export-recipient friend", in: work
            )
            .text.trimmingCharacters(in: .newlines)
        }
        let result = try await Subprocess.run(
            .path(Programs.path("lockstep")), arguments: .init(arguments),
            environment: shell.environment([
                "LD_PRELOAD": library.string, "LOCKSTEP_TEST_CALLS": "\(fault?.rawValue ?? 0) \(call) \(work)",
            ]), workingDirectory: work, output: .discarded, error: .string(limit: 100_000))
        let counted = folder.file("work.calls")
        defer { try? FileManager.default.removeItem(atPath: counted.string) }
        let calls = try? String(contentsOfFile: counted.string, encoding: .utf8)
        return Run(
            status: result.terminationStatus, errors: result.standardError,
            calls: calls.flatMap { Int($0.trimmingCharacters(in: .newlines)) })
    }

    /// Runs the commands that users run after an interruption.
    func recover() async throws -> Run {
        guard let recovery = scenario.recovery else { return try await run() }
        let result = try await shell.run(recovery, in: work)
        return Run(status: result.status, errors: result.errors, calls: nil)
    }

    /// Verifies what the command has left; nil if there is no database yet.
    func verify() async throws -> ToolShell.Result? {
        guard FileManager.default.fileExists(atPath: work.appending("data.db").string) else { return nil }
        return try await shell.run("lockstep verify --key-file k -m shop", in: work)
    }

    /// Output that shows whether the command completed.
    func probe() async throws -> String { try await shell.run(scenario.probe, in: work).text }

    /// Runs other commands there.
    func shell(_ lines: String) async throws -> ToolShell.Result {
        try await shell.run(lines, in: work)
    }

    /// The names of all files.
    func names() throws -> Set<String> {
        Set(try FileManager.default.subpathsOfDirectory(atPath: work.string))
    }
}
