import BenchKit
import FoundationEssentials
import Subprocess
import SystemPackage

/// Runs programs and waits for them.
enum ProgramRun {
    /// What the program wrote to its standard output.
    /// - Throws: ``BenchError`` with what it wrote to its standard error if it failed.
    static func output(_ program: FilePath, _ arguments: [String]) throws -> String {
        let name = program.lastComponent?.string ?? program.string
        let result = try Blocking.run {
            try await Subprocess.run(
                .path(program), arguments: Arguments(arguments),
                output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
        }
        guard result.terminationStatus.isSuccess else {
            throw BenchError("\(name) failed (\(result.terminationStatus)): \(result.standardError.prefix(2000))")
        }
        return result.standardOutput
    }

    /// A program of the server's installation, or on PATH; nil if it is in neither.
    static func find(_ name: String) -> FilePath? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        var folders = path.split(separator: ":").map(String.init)
        let search: [String] = folders
        if let config = search.map({ "\($0)/pg_config" }).first(where: isExecutable),
            let bin = try? output(FilePath(config), ["--bindir"])
        {
            folders.insert(String(bin.split(whereSeparator: \.isNewline)[0]), at: 0)
        }
        return folders.map { "\($0)/\(name)" }.first(where: isExecutable).map { FilePath($0) }
    }

    static func isExecutable(_ path: String) -> Bool {
        FileManager.default.isExecutableFile(atPath: path)
    }
}
