import ArgumentParser
import SystemPackage

/// The workloads.
enum WorkloadName: String, CaseIterable, Codable, ExpressibleByArgument {
    /// Makes the file that others read or change; not compared.
    case fill
    /// Open, key, configure, first row.
    case open
    /// The same starting from the keyring's file, which a key file opens.
    case keyring
    /// Opening a keyring by a passphrase.
    case passphrase
    /// All rows in one transaction, into an empty table.
    case insert
    /// Every row into a struct.
    case scan
    /// Rows by random keys.
    case point
    /// Commits of one row each, one after another.
    case commit
    /// The same with eight concurrent writers.
    case concurrent
    /// A large blob in chunks, written and read.
    case blob
    /// A folder of migrations into a new database.
    case migrate
    /// The same folder again: nothing is pending.
    case rerun
    /// A table of many rows under a new definition.
    case rebuild
    /// Migrations of many files, several at a time.
    case fleet
    /// Cells sealed and opened, without a database.
    case fields
    /// A column sealed, verified and looked up in.
    case sealing
    /// One column of random rows, in one transaction.
    case update
    /// The key of a filled file changed.
    case rotate
    /// Every check of a filled file.
    case verify

    /// The workloads that are compared.
    static let compared = allCases.filter { $0 != .fill }

    /// Whether it reads a file that `fill` made.
    var needsFilledFile: Bool {
        switch self {
        case .open, .keyring, .passphrase, .scan, .point, .rebuild, .update, .rotate, .verify:
            true
        default: false
        }
    }

    /// Whether it is about the migrations of a folder.
    var needsCorpus: Bool { self == .migrate || self == .rerun || self == .fleet }

    /// Whether its operations are the migrations of the corpus, or one check of all of them.
    var countsMigrations: Bool { self == .migrate || self == .rerun }

    /// Whether it can wait for the disk with each commit.
    var canBeFull: Bool {
        switch self {
        case .fleet, .fields, .sealing, .rotate, .verify: false
        default: true
        }
    }

    /// The workload that makes the file for this one, if it needs one.
    var preparation: WorkloadName? { self == .rerun ? .migrate : needsFilledFile ? .fill : nil }

    /// Whether it changes that file, so that each run needs a copy.
    var changesFile: Bool {
        switch self {
        case .rebuild, .update, .rotate, .verify: true
        default: false
        }
    }

    /// Whether one operation is one row of the table, or reads one.
    var isPerRow: Bool {
        switch self {
        case .fill, .insert, .scan, .rebuild, .sealing, .rotate, .verify: true
        default: false
        }
    }

    /// The default number of rows. Sealing processes each row several times, and a row costs the same in any number of
    /// them.
    func ordinaryRows(isQuick: Bool) -> Int {
        switch self {
        case .sealing: isQuick ? 10_000 : 200_000
        default: isQuick ? 20_000 : 1_000_000
        }
    }

    /// The default number of operations of a run of a variant.
    func operations(_ variant: String = "", rows: Int, isQuick: Bool) -> Int {
        switch self {
        case .fill, .insert, .scan, .rebuild, .sealing, .rotate, .verify: rows
        case .rerun: 1
        case .migrate: isQuick ? 40 : 700
        case .open, .keyring: isQuick ? 20 : 100
        case .passphrase: isQuick ? 1 : Passphrases.maximumOperations
        case .point, .update: isQuick ? 5000 : 100_000
        case .commit, .concurrent: isQuick ? 1000 : 10_000
        case .blob: isQuick ? 128 : 1024
        case .fleet: isQuick ? 20 : 200
        case .fields: Cells(variant: variant)?.operations(isQuick: isQuick) ?? 1
        }
    }
}

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
            workload.rawValue, "--path", path.string, "--rows", String(rows), "--operations",
            String(operations), "--cache", String(cacheBytes), "--sync", synchronous.rawValue,
            "--key", key, "--variant", variant,
        ]
        if let corpus { arguments += ["--corpus", corpus.string] }
        if let startedNanoseconds { arguments += ["--started", String(startedNanoseconds)] }
        return arguments
    }

    /// The corpus in one of its forms.
    func corpusFolder(_ form: CorpusFolder.Form) throws(BenchError) -> FilePath {
        guard let corpus else {
            throw BenchError(
                "\(workload.rawValue) needs --corpus",
                hint: "make one with `lockstep-bench corpus FOLDER`")
        }
        return corpus.appending(form.rawValue)
    }

    /// The settings that every peer must read back from its pragmas; none if there is no database.
    var settings: Outcome.Settings {
        guard workload != .fields else {
            return Outcome.Settings(
                pageSize: 0, cacheBytes: 0, journal: "none", synchronous: "none")
        }
        return Outcome.Settings(
            pageSize: 4096, cacheBytes: cacheBytes, journal: "wal",
            synchronous: synchronous.rawValue)
    }
}
