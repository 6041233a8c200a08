import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// A session at the command line, as a text file: the typed lines, and the expected output.
///
///     $ lockstep status            a command, run by the shell in a scratch folder; $PACKAGE is the project's, and
///                                  $FILMS holds the set `movies` without sealed columns
///     films.db: encrypted, …       a line of its standard output; … stands for anything
///     ! error: …                   a line of its standard error
///     ? 3                          its exit code, where it is not 0
///
/// Lines that begin with `#` and empty lines are for the reader.
struct Transcript {
    struct Step {
        let line: Int
        let command: String
        var output: [String] = []
        var errors: [String] = []
        var exitCode: Int32 = 0
    }

    let name: String
    let steps: [Step]

    /// Every transcript: `verify`, or `Sealed/issue`.
    static let all: [String] = {
        let files = (try? FileManager.default.subpathsOfDirectory(atPath: folder.string)) ?? []
        return files.filter { $0.hasSuffix(".txt") }.map { String($0.dropLast(4)) }.sorted()
    }()

    /// The transcripts that `LOCKSTEP_TRANSCRIPT` names, parted by spaces; nil if it is not set.
    static let chosen: [String]? = ProcessInfo.processInfo.environment["LOCKSTEP_TRANSCRIPT"].map {
        $0.split(separator: " ").map(String.init)
    }

    /// Those of the transcripts that are to run.
    static func chosen(of names: [String]) -> [String] {
        guard let chosen else { return names }
        return names.filter { chosen.contains($0) }
    }

    private static let folder = FilePath(#filePath).removingLastComponent()
        .appending("Transcripts")

    init(_ name: String) throws {
        self.name = name
        let text = String(decoding: try Bytes.read(Self.folder.appending("\(name).txt")), as: UTF8.self)
        var steps: [Step] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.hasPrefix("$ ") {
                steps.append(Step(line: index + 1, command: String(line.dropFirst(2))))
                continue
            }
            guard !line.isEmpty, !line.hasPrefix("#"), let last = steps.indices.last else {
                continue
            }
            if line.hasPrefix("! ") {
                steps[last].errors.append(String(line.dropFirst(2)))
            } else if line.hasPrefix("? ") {
                steps[last].exitCode = try #require(Int32(line.dropFirst(2)))
            } else {
                steps[last].output.append(String(line))
            }
        }
        self.steps = steps
    }

    /// Runs every step and compares.
    /// - Parameter prepared: The scratch folder with its initial files; a new one if nil.
    func run(in prepared: TemporaryFolder? = nil) async throws {
        let folder = try prepared ?? TemporaryFolder()
        let films = try Self.films()
        let environment = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("LOCKSTEP_")
        }
        let path = "\(ToolShell.tools):\(environment["PATH"] ?? "/usr/bin:/bin")"
        for step in steps {
            let result = try await Subprocess.run(
                .path("/bin/sh"), arguments: ["-c", step.command],
                environment: .custom([
                    "PATH": path, "HOME": folder.path.string, "LC_ALL": "C.UTF-8", "PACKAGE": Programs.package.string,
                    "FILMS": films.path.string, "LOCKSTEP_DATABASE": "films.db",
                    // A sanitizer's settings also apply to the tool.
                    "ASAN_OPTIONS": environment["ASAN_OPTIONS"] ?? "",
                ]), workingDirectory: folder.path,
                output: .string(limit: 1_000_000), error: .string(limit: 1_000_000))
            let place = "\(name).txt:\(step.line): \(step.command)"
            #expect(result.terminationStatus == .exited(step.exitCode), "\(place)\n\(result.standardError)")
            compare(result.standardOutput, step.output, "\(place), output")
            compare(result.standardError, step.errors, "\(place), error")
        }
    }

    /// A folder with the set `movies` from before its columns were sealed, which needs no dataset.
    private static func films() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let set = folder.file("movies").string
        try FileManager.default.createDirectory(
            atPath: set, withIntermediateDirectories: false)
        let source = Programs.package.appending("Migrations/movies").string
        for name in try FileManager.default.contentsOfDirectory(atPath: source)
        where name < "0003" {
            try FileManager.default.copyItem(
                atPath: "\(source)/\(name)", toPath: "\(set)/\(name)")
        }
        return folder
    }

    private func compare(_ text: String, _ expected: [String], _ place: String) {
        let lines = text.split(separator: "\n").map(String.init)
        let fits = lines.count == expected.count && zip(lines, expected).allSatisfy { Self.matches($0, pattern: $1) }
        #expect(fits, "\(place)\ngot:\n\(text)\nexpected:\n\(expected.joined(separator: "\n"))")
    }

    private static func matches(_ line: String, pattern: String) -> Bool {
        let parts = pattern.split(separator: "…", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return line == pattern }
        guard line.hasPrefix(parts[0]), line.hasSuffix(parts[parts.count - 1]) else { return false }
        var rest = line.dropFirst(parts[0].count)
        for part in parts.dropFirst() where !part.isEmpty {
            guard let found = rest.range(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return true
    }
}
