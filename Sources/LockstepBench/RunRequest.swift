import ArgumentParser
import SystemPackage

/// What can be measured.
enum WorkloadName: String, CaseIterable, Codable, ExpressibleByArgument {
    /// Makes the file that others read or change; not compared.
    case fill
    /// Open, key, configure, first row.
    case open
    /// The same from the keyring's file on, which a key file opens.
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
    /// The same from eight writers at once.
    case concurrent
    /// A large blob in chunks, written and read.
    case blob
    /// A folder of migrations into a new database.
    case migrate
    /// The same folder once more: nothing is left to do.
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

    /// Those that are compared.
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

    /// Whether its operations are the migrations of the corpus, or one look at all of them.
    var countsMigrations: Bool { self == .migrate || self == .rerun }

    /// Whether it can be asked to wait for the disk with each commit.
    var canBeFull: Bool {
        switch self {
        case .fleet, .fields, .sealing, .rotate, .verify: false
        default: true
        }
    }

    /// What makes the file that it is run on, if it needs one.
    var preparation: WorkloadName? { self == .rerun ? .migrate : needsFilledFile ? .fill : nil }

    /// Whether it changes that file, so that each run needs a copy.
    var changesFile: Bool {
        switch self {
        case .rebuild, .update, .rotate, .verify: true
        default: false
        }
    }

    /// Whether one operation is one row of the table, or a look at one.
    var isPerRow: Bool {
        switch self {
        case .fill, .insert, .scan, .rebuild, .sealing, .rotate, .verify: true
        default: false
        }
    }

    /// How many rows the table has, where nobody says. Sealing does something with each several times over, and
    /// a row costs the same in any number of them.
    func ordinaryRows(isQuick: Bool) -> Int {
        switch self {
        case .sealing: isQuick ? 10_000 : 200_000
        default: isQuick ? 20_000 : 1_000_000
        }
    }

    /// How many operations a run of a variant is, where nobody says.
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
    /// When the operating system has it.
    case normal
    /// When the disk has it.
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
    /// 64 hexadecimal digits. It guards nothing: the rows are everybody's.
    var key: String
    /// The folder that ``CorpusFolder`` made, for migrations.
    var corpus: FilePath?
    /// When the process was started, on the system's monotonic clock, where all of it counts.
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

    /// What every peer must read back from its pragmas; nothing, where there is no database.
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
