import Foundation
import Subprocess
import SystemPackage
import TestSupport

/// Runs lines of shell that find the tool by its name, in an environment with no other variables of ours.
struct ToolShell: Sendable {
    /// The result.
    struct Result: Sendable {
        let status: TerminationStatus
        let text: String
        let errors: String
    }

    /// The home folder of the lines.
    let home: FilePath
    /// The folders in which programs are found first.
    var folders = ToolShell.tools

    /// The folders of the tested tool and of the package's other programs, which `make test` builds apart.
    static let tools = ["lockstep", "lockstep-bench"].map { "\(Programs.path($0).removingLastComponent())" }
        .joined(separator: ":")

    private static let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"

    /// The environment, with more variables.
    func environment(_ more: [Environment.Key: String] = [:]) -> Environment {
        var values: [Environment.Key: String] = [
            "PATH": "\(folders):\(Self.path)", "HOME": home.string, "LC_ALL": "C.UTF-8",
            "LOCKSTEP_DATABASE": "data.db", "SWIFT_BACKTRACE": "enable=no",
        ]
        values.merge(more) { $1 }
        return .custom(values)
    }

    /// Runs a script in a folder.
    func run(_ script: String, in folder: FilePath, _ more: [Environment.Key: String] = [:]) async throws -> Result {
        let result = try await Subprocess.run(
            .path("/bin/sh"), arguments: ["-c", script], environment: environment(more), workingDirectory: folder,
            output: .string(limit: 100_000_000), error: .string(limit: 100_000))
        return Result(status: result.terminationStatus, text: result.standardOutput, errors: result.standardError)
    }
}
