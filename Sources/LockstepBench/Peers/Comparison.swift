import BenchKit
import FoundationEssentials
import SystemPackage

/// Runs programs in turn on the same workloads under the same settings.
struct Comparison {
    /// A workload, and when its commits count as done.
    struct Item: Hashable, Sendable {
        let workload: WorkloadName
        let synchronous: Synchronous
    }

    var programs: [PeerProgram]
    var items: [Item]
    var sizes: Sizes
    var repetitions: Int
    var cacheBytes: Int
    /// Where the databases are made, each in its own folder.
    var folder: FilePath

    /// Called before each run with a description of it.
    var progress: (String) -> Void = { _ in }

    /// The name of the other build of Lockstep, if there is one.
    var reference: String? { programs.first(where: \.isReference)?.name }

    /// Runs everything and makes the report.
    /// - Throws: The same as ``run()``.
    func report() async throws -> Report {
        Report(try await run(), repetitions: repetitions, reference: reference)
    }

    /// Runs everything.
    /// - Throws: ``BenchError`` if a program fails, or did not do what the others did.
    func run() async throws -> [Round] {
        var filled: [String: FilePath] = [:]
        var rounds: [Round] = []
        for count in Set(items.compactMap({ $0.workload.type.corpus(sizes) })) {
            try CorpusFolder.write(MigrationCorpus.migrations(count), to: corpus(count))
        }
        for item in items {
            if let maker = item.workload.type.input.maker {
                let maker = WorkloadName(maker)
                for program in programs {
                    let key = Self.key(program, maker)
                    guard !program.variants(of: item.workload).isEmpty, filled[key] == nil else {
                        continue
                    }
                    filled[key] = try await prepare(maker, program)
                }
            }
            for group in groups(of: item.workload) {
                rounds.append(try await round(item, group, filled))
            }
        }
        return rounds
    }

    private func groups(of workload: WorkloadName) -> [String?] {
        var groups: [String?] = []
        for variant in programs.flatMap({ $0.variants(of: workload) }) {
            let group = workload.type.group(of: variant)
            if !groups.contains(group) { groups.append(group) }
        }
        return groups
    }

    private func round(
        _ item: Item, _ group: String?, _ filled: [String: FilePath]
    ) async throws -> Round {
        var participants: [(program: PeerProgram, series: Series)] = []
        for program in programs {
            for variant in program.variants(of: item.workload) where item.workload.type.group(of: variant) == group {
                let series = Series(
                    peer: program.name, variant: variant,
                    isEncrypted: program.abilities.encrypted)
                participants.append((program, series))
            }
        }
        // Variants of a group do as many operations.
        let wanted = request(item, participants.first?.series.variant ?? "", "")
        let expected = try item.workload.type.expected(sizes, wanted.variant)
        for repetition in 1...repetitions {
            // The first program runs on the machine as the previous round left it: that must not be the same program
            // each time.
            let order = Array(participants.indices)
            for index in repetition.isMultiple(of: 2) ? order.reversed() : order {
                let (program, series) = participants[index]
                progress("\(item.workload.rawValue) \(repetition)/\(repetitions): \(series.peer) " + series.variant)
                let standing = item.workload.type.input.maker.flatMap {
                    filled[Self.key(program, WorkloadName($0))]
                }
                let outcome = try await inFolder { folder in
                    let path = try place(standing, in: folder, item.workload)
                    let request = request(item, series.variant, path)
                    let outcome = try await program.run(request)
                    try outcome.check(against: request, of: program.name, checksum: expected)
                    return outcome
                }
                if program.isReference, let own = participants.first(where: \.series.isOwn)?.series.outcomes.first {
                    try outcome.requireSameEngine(as: own)
                }
                participants[index].series.outcomes.append(outcome)
            }
        }
        return Round(
            workload: item.workload, synchronous: item.synchronous, cacheBytes: cacheBytes, rows: wanted.rows,
            operations: wanted.operations, group: group, series: participants.map(\.series))
    }

    /// Makes the file that other workloads run on.
    private func prepare(
        _ workload: WorkloadName, _ program: PeerProgram
    ) async throws -> FilePath {
        progress("\(workload.rawValue): \(program.name)")
        let home = folder.appending(Self.key(program, workload))
        try makeFolder(home)
        let variant = program.variants(of: workload).first ?? "default"
        let request = request(Item(workload: workload, synchronous: .normal), variant, home.appending("bench.db"))
        let outcome = try await program.run(request)
        try outcome.check(
            against: request, of: program.name,
            checksum: try workload.type.expected(sizes, variant))
        return request.path
    }

    private static func key(_ program: PeerProgram, _ maker: WorkloadName) -> String {
        "\(maker.rawValue)-\(program.name)"
    }

    private func corpus(_ count: Int) -> FilePath { folder.appending("corpus-\(count)") }

    /// The database for a run: the prepared one, a copy of it with its side files, or none.
    private func place(
        _ standing: FilePath?, in folder: FilePath, _ workload: WorkloadName
    ) throws -> FilePath {
        guard let standing else { return folder.appending("bench.db") }
        guard case .copy = workload.type.input, let name = standing.lastComponent else {
            return standing
        }
        let home = standing.removingLastComponent()
        for file in try FileManager.default.contentsOfDirectory(atPath: home.string) {
            try FileManager.default.copyItem(atPath: home.appending(file).string, toPath: folder.appending(file).string)
        }
        return folder.appending(name)
    }

    private func request(_ item: Item, _ variant: String, _ path: FilePath) -> RunRequest {
        let workload = item.workload.type
        return RunRequest(
            workload: item.workload, variant: variant, path: path, rows: workload.rows(sizes),
            operations: workload.operations(sizes, variant), cacheBytes: cacheBytes, synchronous: item.synchronous,
            key: RunRequest.ordinaryKey, corpus: workload.corpus(sizes).map(corpus))
    }

    private func inFolder<Result>(_ body: (FilePath) async throws -> Result) async throws -> Result {
        let own = folder.appending("run-\(UUID().uuidString)")
        try makeFolder(own)
        defer { try? FileManager.default.removeItem(atPath: own.string) }
        return try await body(own)
    }

    private func makeFolder(_ path: FilePath) throws(BenchError) {
        do {
            // Lockstep keeps its keyring next to the database, and requires that nobody else can write there.
            try FileManager.default.createDirectory(
                atPath: path.string, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw BenchError(
                "the folder \(path) cannot be made", hint: "name another with --folder, on the disk to be measured")
        }
    }
}
