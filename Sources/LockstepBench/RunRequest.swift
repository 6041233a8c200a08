import BenchKit
import ArgumentParser
import SystemPackage

/// When a commit counts as done.
enum Synchronous: String, CaseIterable, Codable, ExpressibleByArgument {
    /// When the operating system has the data.
    case normal
    /// When the disk has the data.
    case full
}

/// One run of one workload: what the command line of a peer says.
struct RunRequest: Hashable, Sendable {
    var workload: WorkloadName
    var variant: String
    var path: FilePath
    var rows: Int
    var operations: Int
    var cacheBytes: Int
    var synchronous: Synchronous
    /// 64 hexadecimal digits. It protects nothing: the rows are public.
    var key: String
    /// The folder that ``CorpusFolder`` made, for migrations.
    var corpus: FilePath?
    /// When the process was started, on the system's monotonic clock, for workloads that measure the whole process.
    var startedNanoseconds: Int64?

    /// The command line that asks for this.
    var arguments: [String] {
        var arguments = [
            workload.rawValue, "--path", path.string, "--rows", String(rows), "--operations", String(operations),
            "--cache", String(cacheBytes), "--sync", synchronous.rawValue, "--key", key, "--variant", variant,
        ]
        if let corpus { arguments += ["--corpus", corpus.string] }
        if let startedNanoseconds { arguments += ["--started", String(startedNanoseconds)] }
        return arguments
    }

    /// The corpus in one of its forms.
    func corpusFolder(_ form: CorpusFolder.Form) throws(BenchError) -> FilePath {
        guard let corpus else {
            throw BenchError(
                "\(workload.rawValue) needs --corpus", hint: "make one with `lockstep-bench corpus FOLDER`")
        }
        return corpus.appending(form.rawValue)
    }

    /// Runs it once, on this thread.
    func run() throws -> Measurement { try workload.type.run(BenchDatabase(self)) }

    /// The settings that every peer must read back from its pragmas; none if there is no database.
    var settings: Outcome.Settings {
        guard workload.type.hasDatabase else {
            return Outcome.Settings(pageSize: 0, cacheBytes: 0, journal: "none", synchronous: "none")
        }
        return Outcome.Settings(
            pageSize: 4096, cacheBytes: cacheBytes, journal: "wal", synchronous: synchronous.rawValue)
    }
}
