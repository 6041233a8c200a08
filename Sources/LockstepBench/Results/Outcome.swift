import FoundationEssentials

/// What one run of a peer answers: the line of JSON.
struct Outcome: Codable, Hashable, Sendable {
    /// What the pragmas said on the connection that did the work.
    struct Settings: Codable, Hashable, Sendable {
        var pageSize: Int
        var cacheBytes: Int
        var journal: String
        var synchronous: String
    }

    var peer: String
    var workload: WorkloadName
    var variant: String
    var operations: Int
    var cpuNanoseconds: Int64
    var wallNanoseconds: Int64
    var checksum: String
    var peakKiB: Int
    var library: String
    var settings: Settings
    /// What the measured region wrote to files, by system calls; nil where that is not told.
    var bytesWritten: Int?
    /// How often the measured region called `fsync` or `fdatasync`; nil where that is not told.
    var syncs: Int?
    /// By how much each operation was slowed down on purpose: see ``SlowDown``. Nil in every run that counts.
    var slowedDownMicroseconds: Int?

    /// Reads what a program wrote to its standard output.
    /// - Throws: ``BenchError`` unless that is one outcome.
    static func parse(_ output: String, of program: String) throws(BenchError) -> Outcome {
        let lines = output.split(whereSeparator: \.isNewline)
        guard lines.count == 1, let line = lines.first else {
            throw malformed(program, "it printed \(lines.count) lines, and one is due")
        }
        let outcome: Outcome
        do {
            outcome = try JSONDecoder().decode(Outcome.self, from: Data(line.utf8))
        } catch {
            throw malformed(program, BenchError.reason(error))
        }
        guard outcome.operations > 0, outcome.cpuNanoseconds >= 0, outcome.wallNanoseconds > 0,
            outcome.peakKiB > 0
        else {
            throw malformed(program, "operations, times and memory must be above 0")
        }
        guard outcome.checksum.utf8.count == 16, outcome.checksum.allSatisfy(\.isHexDigit) else {
            throw malformed(program, "the checksum is not 16 hexadecimal digits")
        }
        return outcome
    }

    /// Whether this is what was asked for, done in full and under the same settings as everywhere.
    /// - Throws: ``BenchError`` that says what differs.
    func check(
        against request: RunRequest, of program: String, checksum expected: String
    ) throws(BenchError) {
        let who = "\(program) (\(request.variant)) in \(request.workload.rawValue)"
        guard peer == program, workload == request.workload, variant == request.variant else {
            throw BenchError(
                "\(who) answered for \(peer) (\(variant)) in \(workload.rawValue)",
                hint: "a peer answers what it was asked: build the peers again")
        }
        guard operations == request.operations else {
            throw BenchError(
                "\(who) did \(operations) operations, and \(request.operations) were asked for",
                hint: "build the peers again, and check that the file has all rows")
        }
        guard settings == request.settings else {
            throw BenchError(
                "\(who) ran with other settings than were asked for: \(settings.text) instead of "
                    + request.settings.text,
                hint: "times under different settings cannot be compared: mend the peer")
        }
        guard checksum == expected else {
            throw BenchError(
                "\(who) read something else than the rows that there are: checksum \(checksum) "
                    + "instead of \(expected)",
                hint: "it skipped work or its generator differs from Tests/Peers/README.md")
        }
    }

    /// The versions of what a program of ours is built on, without its own.
    private var engine: Substring {
        library.hasPrefix("Lockstep ")
            ? library.drop { $0 != "," }.drop { $0 == "," || $0 == " " } : library[...]
    }

    /// Whether two builds of ours stand on the same libraries, so that what differs is theirs.
    /// - Throws: ``BenchError`` that says what differs.
    func requireSameEngine(as other: Outcome) throws(BenchError) {
        guard engine == other.engine else {
            throw BenchError(
                "\(peer) and \(other.peer) stand on other versions: \(engine) and \(other.engine)",
                hint: "build both on this machine, against the same libraries")
        }
    }

    private static func malformed(_ program: String, _ reason: String) -> BenchError {
        BenchError(
            "\(program) did not answer with an outcome: \(reason)",
            hint: "see Tests/Peers/README.md for what a peer prints, and build the peers again")
    }
}

extension Outcome.Settings {
    /// For messages and headings.
    var text: String {
        "page \(pageSize), cache \(cacheBytes), journal \(journal), synchronous \(synchronous)"
    }
}
