import Foundation
import Subprocess
import SystemPackage
import TestSupport

/// A dialogue between the tool and a person at a terminal. Python's standard library provides the terminal.
struct Conversation {
    static let isPossible = FileManager.default.fileExists(atPath: "/usr/bin/python3")

    let shown: String
    let status: TerminationStatus

    /// Runs the tool in `folder`, on the database `a.db`, and types each answer once its prompt has appeared.
    /// - Parameter exchanges: Prompt, answer, prompt, answer and so on; the answer "\u{3}" is Ctrl-C.
    static func hold(
        in folder: TemporaryFolder, _ exchanges: [String], _ arguments: [String], path: String = "/usr/bin:/bin"
    ) async throws -> Conversation {
        let script = FilePath(#filePath).removingLastComponent().appending("Terminal/converse.py")
        let result = try await Subprocess.run(
            .path("/usr/bin/python3"),
            arguments: Arguments([script.string] + exchanges + ["--", Programs.path("lockstep").string] + arguments),
            environment: .custom(["PATH": path, "LOCKSTEP_DATABASE": "a.db"]),
            workingDirectory: folder.path, output: .string(limit: 100_000), error: .discarded)
        return Conversation(shown: result.standardOutput, status: result.terminationStatus)
    }
}
