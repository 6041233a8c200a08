import ArgumentParser
import Lockstep

/// The `lockstep` tool.
@main
struct LockstepCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lockstep",
        abstract: "Encrypted SQLite databases whose schema moves in step.",
        discussion: """
            Name the database with --database or the variable LOCKSTEP_DATABASE. Its keyring lies beside it, in \
            the folder NAME.keys, unless --keys or --keyring says otherwise.

            Exit codes: \(Exit.help).
            """,
        version: LockstepVersion.current,
        subcommands: [
            Init.self, Plan.self, Migrate.self, Rehearse.self, Rollback.self, Redo.self,
            Baseline.self, Repair.self, New.self, Status.self, Verify.self, Keys.self, Seal.self,
            Unseal.self, Reseal.self, Issue.self, Release.self, Import.self, List.self, Show.self,
            Insert.self, Update.self, Delete.self, Query.self,
            Adopt.self, Backup.self, Restore.self, Salvage.self, Export.self, Copy.self,
        ])

    /// Prints our own errors as `error:` and `hint:` and takes the exit code from them. The argument parser handles
    /// everything else.
    static func main() {
        ProcessHardening.apply()
        if !SecretBytes.areLocked {
            Output.note("warning: secrets cannot be locked in memory and can reach swap: raise `ulimit -l`")
        }
        var outcome: (any Error)?
        do {
            // The parser's own flag does not show the library.
            if CommandLine.arguments.dropFirst().elementsEqual(["--version"]) {
                try VersionLines.show()
                return try Output.finish()
            }
            try CommandNames.require(Array(CommandLine.arguments.dropFirst()))
            var command = try parseAsRoot()
            try LockOrder.$hasTransactions.withValue(true) {
                try WaitOptions.lockWait.run { try command.run() }
            }
        } catch {
            outcome = error
        }
        do {
            try Output.finish()
        } catch {
            outcome = error
        }
        if let error = outcome as? LockstepError {
            Output.error(error)
            exit(withError: ExitCode(Exit.code(for: error.code)))
        }
        exit(withError: outcome)
    }
}

/// The output of `lockstep --version`: the tool, the library that it loaded, and the library's known defects.
enum VersionLines {
    static func show() throws {
        Output.line(LockstepVersion.current)
        let library = try LoadedLibrary.current()
        Output.line(library.summary)
        guard !library.defects.isEmpty else { return Output.line("It has no known defects.") }
        Output.line("Its known defects:")
        for defect in library.defects {
            Output.line("  \(defect.id)")
            Output.line("    effect: \(defect.effect)")
            Output.line("    response: \(defect.answer)")
        }
    }
}
