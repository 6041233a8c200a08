import BenchKit
import FoundationEssentials
import Subprocess
import SystemPackage

/// A program that runs the workloads: Lockstep, or one of those in Tests/Peers.
struct PeerProgram: Sendable {
    /// The answer of a peer to `list`.
    struct Abilities: Codable, Hashable, Sendable {
        var peer: String
        var encrypted: Bool
        /// The variants of each workload; unknown workloads are ignored.
        var workloads: [String: [String]]
    }

    /// Lockstep's name in tables.
    static let ownName = "lockstep"
    /// The ending of peers' file names.
    static let suffix = "-peer"

    let executable: FilePath
    /// The arguments before the workload on its command line.
    let leading: [String]
    let abilities: Abilities
    /// Its name in reports.
    let name: String
    /// Whether it is another build of Lockstep, which answers under Lockstep's name.
    let isReference: Bool

    /// - Parameter name: The name of another build of Lockstep, which is not a separate peer.
    init(executable: FilePath, leading: [String] = [], abilities: Abilities, asReference name: String? = nil) {
        self.executable = executable
        self.leading = leading
        self.abilities = abilities
        self.name = name ?? abilities.peer
        isReference = name != nil
    }

    func variants(of workload: WorkloadName) -> [String] {
        abilities.workloads[workload.rawValue] ?? []
    }

    // MARK: Finding

    /// This program as a peer.
    static func own(_ abilities: Abilities = .own) throws -> PeerProgram {
        PeerProgram(executable: try ownExecutable(), leading: ["run"], abilities: abilities)
    }

    /// The `lockstep-bench` of another commit.
    /// - Parameter name: Its name in the report.
    static func reference(_ path: FilePath, name: String) async throws -> PeerProgram {
        let path = FilePath(FileManager.default.currentDirectoryPath).pushing(path)
        let output: String
        do {
            output = try await Self.output(of: path, ["list"], name)
        } catch let error as BenchError {
            throw BenchError(
                "the workloads of \(path) could not be listed: \(error.message)",
                hint: "it must be a lockstep-bench that has the command `list`: use a newer commit"
            )
        }
        let abilities = try list(output, of: name)
        guard abilities.peer == ownName else {
            throw BenchError(
                "\(path) is not a lockstep-bench: it calls itself \(abilities.peer)",
                hint: "put peers into a folder, and pass that with --peers")
        }
        try requireName(name, of: "--label")
        return PeerProgram(executable: path, leading: ["run"], abilities: abilities, asReference: name)
    }

    private static func ownExecutable() throws -> FilePath {
        let manager = FileManager.default
        #if os(Linux)
        let link = "/proc/self/exe"
        return FilePath(try manager.destinationOfSymbolicLink(atPath: link))
        #else
        let name = CommandLine.arguments.first ?? ""
        guard name.contains("/") else {
            throw BenchError("the path of this program is not known", hint: "call it by its full path")
        }
        return FilePath(manager.currentDirectoryPath).pushing(FilePath(name))
        #endif
    }

    /// The peers of a folder: its programs whose names end in `-peer`.
    static func find(in folder: FilePath) async throws -> [PeerProgram] {
        let manager = FileManager.default
        let names: [String]
        do {
            names = try manager.contentsOfDirectory(atPath: folder.string)
        } catch {
            throw BenchError(
                "the peers' folder \(folder) cannot be read", hint: "build the peers with `Tests/Peers/build FOLDER`")
        }
        var programs: [PeerProgram] = []
        for name in names.sorted() where name.hasSuffix(suffix) {
            // Without a slash a program would be searched for on PATH.
            let path = FilePath(manager.currentDirectoryPath).pushing(folder).appending(name)
            guard manager.isExecutableFile(atPath: path.string) else { continue }
            let output = try await output(of: path, ["list"], name)
            programs.append(PeerProgram(executable: path, abilities: try list(output, of: name)))
        }
        guard !programs.isEmpty else {
            throw BenchError(
                "there is no peer in \(folder)", hint: "build the peers with `Tests/Peers/build \(folder)`")
        }
        try requireDistinct([ownName] + programs.map(\.name), "remove one of them from \(folder)")
        return programs
    }

    /// Refuses programs that a report could not distinguish.
    static func requireDistinct(_ names: [String], _ hint: String) throws(BenchError) {
        guard Set(names).count == names.count else {
            throw BenchError("two of these programs have the same name: \(names.joined(separator: ", "))", hint: hint)
        }
    }

    /// Checks a name, because folders are named after programs.
    private static func requireName(_ name: String, of what: String) throws(BenchError) {
        guard isName(name) else {
            throw BenchError(
                "\(what) must consist of lower-case letters, digits and hyphens", hint: "such as ref-4f2a91c")
        }
    }

    private static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.allSatisfy("abcdefghijklmnopqrstuvwxyz0123456789-".contains)
    }

    /// Reads what a peer reports of itself.
    static func list(_ output: String, of program: String) throws(BenchError) -> Abilities {
        let abilities = try? JSONDecoder().decode(Abilities.self, from: Data(output.utf8))
        guard let abilities, isName(abilities.peer) else {
            throw BenchError(
                "\(program) list did not describe the peer",
                hint: "see Tests/Peers/README.md for the expected output, and build the peers again")
        }
        return abilities
    }

    // MARK: Running

    /// Runs a workload once, in a separate process.
    func run(_ request: RunRequest) async throws -> Outcome {
        var request = request
        if request.workload.type.measuresProcess {
            request.startedNanoseconds = ProcessClock.monotonicNanoseconds
        }
        let output = try await Self.output(of: executable, leading + request.arguments, name)
        var outcome = try Outcome.parse(output, of: name)
        if isReference, outcome.peer == Self.ownName { outcome.peer = name }
        return outcome
    }

    private static func output(
        of executable: FilePath, _ arguments: [String], _ name: String
    ) async throws -> String {
        let command = "\(name) \(arguments.prefix(2).joined(separator: " "))"
        let result: ExecutionResult<Void, StringOutput<UTF8>, StringOutput<UTF8>>
        do {
            result = try await Subprocess.run(
                .path(executable), arguments: Arguments(arguments),
                output: .string(limit: 65_536), error: .string(limit: 65_536))
        } catch {
            throw BenchError("\(command) could not be run: \(error)", hint: "build the peers again, for this machine")
        }
        guard result.terminationStatus.isSuccess else {
            let said = result.standardError
            throw BenchError(
                "\(command) failed (\(result.terminationStatus)): "
                    + (said.isEmpty ? "it said nothing" : String(said.prefix(2000))),
                hint: "run it by hand, with --path of a new file")
        }
        return result.standardOutput
    }
}
