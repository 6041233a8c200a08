import BenchKit
import FoundationEssentials

/// The result of one run of a peer: its line of JSON.
struct Outcome: Codable, Hashable, Sendable {
    /// The results of the pragmas on the connection that did the work.
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
    /// The bytes that the measured region wrote to files, by system calls; nil if that is not reported.
    var bytesWritten: Int?
    /// How often the measured region called `fsync` or `fdatasync`; nil if that is not reported.
    var syncs: Int?

    /// Reads what a program wrote to its standard output.
    /// - Throws: ``BenchError`` unless that is one outcome.
    static func parse(_ output: String, of program: String) throws(BenchError) -> Outcome {
        let lines = output.split(whereSeparator: \.isNewline)
        guard lines.count == 1, let line = lines.first else {
            throw malformed(program, "it printed \(lines.count) lines instead of 1")
        }
        let outcome: Outcome
        do {
            outcome = try JSONDecoder().decode(Outcome.self, from: Data(line.utf8))
        } catch {
            throw malformed(program, BenchError.reason(error))
        }
        guard outcome.operations > 0, outcome.cpuNanoseconds >= 0, outcome.wallNanoseconds > 0, outcome.peakKiB > 0
        else {
            throw malformed(program, "operations, times and memory must be above 0")
        }
        guard outcome.checksum.utf8.count == 16, outcome.checksum.allSatisfy(\.isHexDigit) else {
            throw malformed(program, "the checksum is not 16 hexadecimal digits")
        }
        return outcome
    }

    /// Checks that this is what was requested, done in full and under the same settings as everywhere.
    /// - Throws: ``BenchError`` that names the difference.
    func check(
        against request: RunRequest, of program: String, checksum expected: String
    ) throws(BenchError) {
        let who = "\(program) (\(request.variant)) in \(request.workload.rawValue)"
        guard peer == program, workload == request.workload, variant == request.variant else {
            throw BenchError(
                "\(who) answered for \(peer) (\(variant)) in \(workload.rawValue)",
                hint: "a peer must run what was requested: build the peers again")
        }
        guard operations == request.operations else {
            throw BenchError(
                "\(who) did \(operations) operations instead of \(request.operations)",
                hint: "build the peers again, and check that the file has all rows")
        }
        guard settings == request.settings else {
            throw BenchError(
                "\(who) ran with different settings than requested: \(settings.text) instead of "
                    + request.settings.text, hint: "times under different settings cannot be compared: fix the peer")
        }
        guard checksum == expected else {
            throw BenchError(
                "\(who) did not read the expected rows: checksum \(checksum) " + "instead of \(expected)",
                hint: "it skipped work, or its generator differs from Tests/Peers/README.md")
        }
    }

    /// The versions of the libraries of a Lockstep build, without its own.
    private var engine: Substring {
        library.hasPrefix("Lockstep ") ? library.drop { $0 != "," }.drop { $0 == "," || $0 == " " } : library[...]
    }

    /// Checks that two builds of Lockstep use the same libraries, so that differences are their own.
    /// - Throws: ``BenchError`` that names the difference.
    func requireSameEngine(as other: Outcome) throws(BenchError) {
        guard engine == other.engine else {
            throw BenchError(
                "\(peer) and \(other.peer) use different versions: \(engine) and \(other.engine)",
                hint: "build both on this machine, against the same libraries")
        }
    }

    private static func malformed(_ program: String, _ reason: String) -> BenchError {
        BenchError(
            "\(program) did not print an outcome: \(reason)",
            hint: "see Tests/Peers/README.md for a peer's output, and build the peers again")
    }
}

extension Outcome.Settings {
    /// For messages and headings.
    var text: String {
        "page \(pageSize), cache \(cacheBytes), journal \(journal), synchronous \(synchronous)"
    }
}
