import FoundationEssentials
import Subprocess
import SystemPackage

/// A program that does the workloads: ours, or one of those in Tests/Peers.
struct PeerProgram: Sendable {
    /// What a peer says of itself when it is called with `list`.
    struct Abilities: Codable, Hashable, Sendable {
        var peer: String
        var encrypted: Bool
        /// The variants of each workload; names of workloads that we do not know are passed over.
        var workloads: [String: [String]]
    }

    /// How ours is called in tables.
    static let ownName = "lockstep"
    /// How the files of programs end that are peers.
    static let suffix = "-peer"

    let executable: FilePath
    /// What stands before the workload on its command line.
    let leading: [String]
    let abilities: Abilities

    var name: String { abilities.peer }

    init(executable: FilePath, leading: [String] = [], abilities: Abilities) {
        self.executable = executable
        self.leading = leading
        self.abilities = abilities
    }

    func variants(of workload: WorkloadName) -> [String] {
        abilities.workloads[workload.rawValue] ?? []
    }

    // MARK: Finding

    /// This program, as a peer among others.
    static func own() throws -> PeerProgram {
        var workloads: [String: [String]] = [:]
        for (workload, variants) in OwnWorkloads.variants {
            workloads[workload.rawValue] = variants
        }
        return PeerProgram(
            executable: try ownExecutable(), leading: ["run"],
            abilities: Abilities(peer: ownName, encrypted: true, workloads: workloads))
    }

    private static func ownExecutable() throws -> FilePath {
        let manager = FileManager.default
        #if os(Linux)
            let link = "/proc/self/exe"
            return FilePath(try manager.destinationOfSymbolicLink(atPath: link))
        #else
            let name = CommandLine.arguments.first ?? ""
            guard name.contains("/") else {
                throw BenchError(
                    "where this program lies is not known", hint: "call it by its whole path")
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
                "the peers' folder \(folder) cannot be read",
                hint: "build the peers with `Tests/Peers/build FOLDER`")
        }
        var programs: [PeerProgram] = []
        for name in names.sorted() where name.hasSuffix(suffix) {
            // Without a slash a program would be looked for on PATH.
            let path = FilePath(manager.currentDirectoryPath).pushing(folder).appending(name)
            guard manager.isExecutableFile(atPath: path.string) else { continue }
            let output = try await output(of: path, ["list"], name)
            programs.append(PeerProgram(executable: path, abilities: try list(output, of: name)))
        }
        guard !programs.isEmpty else {
            throw BenchError(
                "there is no peer in \(folder)",
                hint: "build the peers with `Tests/Peers/build \(folder)`")
        }
        guard Set(programs.map(\.name) + [ownName]).count == programs.count + 1 else {
            throw BenchError(
                "two programs go by the same name among: "
                    + ([ownName] + programs.map(\.name)).joined(separator: ", "),
                hint: "remove one of them from \(folder)")
        }
        return programs
    }

    /// Reads what a peer says of itself.
    static func list(_ output: String, of program: String) throws(BenchError) -> Abilities {
        let abilities = try? JSONDecoder().decode(Abilities.self, from: Data(output.utf8))
        let allowed = "abcdefghijklmnopqrstuvwxyz0123456789-"
        // A folder is named after it.
        guard let abilities, !abilities.peer.isEmpty, abilities.peer.allSatisfy(allowed.contains)
        else {
            throw BenchError(
                "\(program) list did not say what the peer is and can do",
                hint: "see Tests/Peers/README.md for what it prints, and build the peers again")
        }
        return abilities
    }

    // MARK: Running

    /// Runs a workload once, in a process of its own.
    func run(_ request: RunRequest) async throws -> Outcome {
        var request = request
        if request.workload == .rerun {
            request.startedNanoseconds = ProcessClock.monotonicNanoseconds
        }
        let output = try await Self.output(of: executable, leading + request.arguments, name)
        return try Outcome.parse(output, of: name)
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
            throw BenchError(
                "\(command) could not be run: \(error)",
                hint: "build the peers again, for this machine")
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
