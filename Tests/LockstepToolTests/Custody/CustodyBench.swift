import ArgumentParser
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Lockstep
@testable import LockstepTool

/// A folder with databases and keyrings in which commands of the tool run within this process. All that lies there can
/// be taken down and put back.
final class CustodyBench {
    /// The files that lie there, by their paths below the folder, without locks.
    typealias Files = [String: [UInt8]]

    static let sharedKeyring = "keys/a.database.keyring"
    static let fieldsKeyring = "keys/people.fields.keyring"
    static let databases = ["a.db", "b.db", "c.db", "d.db", "out.db"]

    let folder: TemporaryFolder
    private let secrets: Files = ["kf": [UInt8](repeating: 7, count: 32), "kf2": [UInt8](repeating: 9, count: 32)]
    // Parsing takes longer than most commands.
    private var commands: [[String]: any ParsableCommand] = [:]
    private var accesses: [[String]: AccessOptions] = [:]
    private var keyrings: [[UInt8]: OpenedKeyring] = [:]
    /// Runs at the next step of the next command that has steps.
    var beside: (() -> Void)?
    /// The keyrings at the beginning.
    private(set) var firstKeyrings: [String: [UInt8]] = [:]
    /// Whether keys are destroyed without the proof that nothing needs them: a negative control.
    var isCredulous = false
    /// How many commands have run.
    private(set) var runs = 0

    /// The one of this process, which has parsed many commands: for suites that are serialized.
    nonisolated(unsafe) static let shared = Result { try CustodyBench() }

    init() throws {
        folder = try TemporaryFolder()
        for name in ["keys", "aside", "people"] {
            try FileManager.default.createDirectory(
                atPath: path(name).string, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        }
    }

    /// Where sequences begin.
    enum Beginning: CaseIterable, Sendable {
        /// Two databases under one keyring, with a column of one dataset that is sealed in both, and a backup of the
        /// first.
        case together
        /// The same with two keys of each kind: the second database already has the newer key of databases, and the
        /// cells of both have the older keys.
        case rotated
    }

    /// Makes the files that sequences begin with.
    func fill(_ beginning: Beginning) throws -> CustodyVerb.Truth {
        isCredulous = false
        try restore(secrets)
        let set = [
            "0001_person.sql":
                "-- lockstep: up\nCREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, ssn TEXT);\n",
            "0002_extra.sql":
                "-- lockstep: up\nCREATE TABLE extra (id INTEGER PRIMARY KEY);\n-- lockstep: down\nDROP TABLE extra;\n",
        ]
        for (name, text) in set { try folder.write("people/\(name)", text) }
        try AtomicFile.create(path("plain.sqlite")).close()
        do {
            let plain = try ExternalDatabase.makePlaintext(path("plain.sqlite"))
            try plain.execute("CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, ssn TEXT)")
            try plain.execute("INSERT INTO person (name, ssn) VALUES ('P', 'p')")
        }
        let keys = "--keys @keys --key-file @kf"
        try run("init -d @a.db --dataset people \(keys)")
        let file = file(Self.sharedKeyring)
        var keyring = try file.open { _ in try KeyFile.read(self.path("kf")) }
        try Store.create(path("b.db"), keyring: &keyring, in: file).blocking.close()
        for name in ["a", "b"] {
            let access = "-d @\(name).db --keyring @\(Self.sharedKeyring) \(keys)"
            try run("migrate --to 1 -m @people \(access)")
            do {
                let connection = try self.access("\(name).db", Self.sharedKeyring, fields: false).session().connect()
                try connection.execute(
                    "INSERT INTO person (name, ssn) VALUES (?, ?), (?, ?)", "\(name)1", "one", "\(name)2", "two")
            }
            let index = name == "a" ? "--index exact --accept-histogram" : "--first-time"
            try run("seal person.ssn --fields people \(index) \(access)")
        }
        try run("backup @c.db -d @a.db \(keys)")
        if beginning == .rotated {
            for kind in ["field", "index"] {
                try run("keys create-key \(kind) --dataset people \(keys)")
                try run("keys activate-key \(kind) 2 --dataset people \(keys)")
            }
            try run("keys rotate-database -d @b.db --keyring @\(Self.sharedKeyring) \(keys)")
        }
        for name in [Self.sharedKeyring, Self.fieldsKeyring] {
            firstKeyrings[name] = try Bytes.read(path(name))
        }
        let rows = ["a1/one", "a2/two"]
        return ["a.db": rows, "b.db": ["b1/one", "b2/two"], "c.db": rows]
    }

    func path(_ name: String) -> FilePath { folder.file(name) }
    func exists(_ name: String) -> Bool { FileAccess.exists(path(name)) }

    // MARK: Files

    /// All that lies there.
    func files() throws -> Files {
        var files: Files = [:]
        for place in ["", "keys", "aside"] {
            for name in try FileManager.default.contentsOfDirectory(atPath: path(place).string) {
                let inner = place.isEmpty ? name : "\(place)/\(name)"
                guard !name.hasPrefix("."), !name.hasSuffix("-shm"), name != "people",
                    !["keys", "aside"].contains(inner)
                else { continue }
                files[inner] = try Bytes.read(path(inner))
            }
        }
        return files
    }

    /// Puts back what was there.
    func restore(_ files: Files) throws {
        let now = try self.files()
        for name in now.keys where files[name] == nil { try remove(name) }
        for (name, bytes) in files where now[name] != bytes {
            try remove(name)
            try folder.write(name, bytes)
        }
    }

    /// Removes a file, with those that belong to a database.
    func remove(_ name: String) throws {
        for suffix in ["", "-wal", "-shm"] where exists(name + suffix) {
            try FileManager.default.removeItem(atPath: path(name + suffix).string)
        }
    }

    /// Moves a file over another, as `mv` does.
    func move(_ name: String, to target: String) throws {
        try remove(target)
        try FileManager.default.moveItem(atPath: path(name).string, toPath: path(target).string)
    }

    /// Copies a file over another, as `cp` does.
    func copy(_ name: String, to target: String) throws {
        try remove(target)
        try folder.write(target, Bytes.read(path(name)))
    }

    // MARK: Commands

    /// Runs a command. `@` stands for the folder, at the beginning of an argument.
    /// - Throws: What makes the command exit with another code than 0.
    func run(_ line: String) throws {
        let arguments = line.split(separator: " ").map(expand)
        var command = try commands[arguments] ?? LockstepCommand.parseAsRoot(arguments)
        commands[arguments] = command
        runs += 1
        // Safe by this proof: commands call it on the thread that runs them.
        nonisolated(unsafe) let bench = self
        try Output.$sink.withValue(OutputSink { bench.step() }) {
            try FileLockWait(timeout: .zero).run { try command.run() }
        }
    }

    /// A command has a step: what runs beside it runs now.
    func step() {
        let next = beside
        beside = nil
        next?()
    }

    /// Destroys the first key of a kind with a command, or without one.
    func destroy(_ kind: String, _ line: String) throws {
        guard isCredulous else { return try run(line) }
        let file = file(kind == "database" ? Self.sharedKeyring : Self.fieldsKeyring)
        var keyring = try file.open { _ in try KeyFile.read(self.path("kf")) }
        try keyring.destroyKey(#require(KeyKind(rawValue: kind)), version: 1)
        try file.save(&keyring)
    }

    private func expand(_ argument: Substring) -> String {
        if argument.hasPrefix("@") { return path(String(argument.dropFirst())).string }
        return String(argument)
    }

    /// The options that open a database: its keyring, and the fields keyring if there is one.
    func access(_ name: String, _ keyring: String, fields: Bool) throws -> AccessOptions {
        let arguments =
            "-d @\(name) --keyring @\(keyring) --keys @keys --key-file @kf" + (fields ? " --fields people" : "")
        let words = arguments.split(separator: " ").map(expand)
        let access = try accesses[words] ?? AccessOptions.parse(words)
        accesses[words] = access
        return access
    }

    /// Does something with a connection as commands that may write have it.
    func write(_ name: String, _ keyring: String) throws {
        try Output.$sink.withValue(OutputSink()) {
            let session = try access(name, keyring, fields: isSealed(name)).session()
            let connection = try session.connect()
            try connection.write { connection in
                do {
                    try connection.execute(
                        "INSERT INTO person_open (name, ssn) VALUES ('new', 'new')")
                } catch let error as LockstepError where error.code == .sqlFailed {
                    try connection.execute("INSERT INTO person (name, ssn) VALUES ('new', 'new')")
                }
            }
            session.remember(connection)
            session.rememberSealed(connection)
        }
    }

    /// Whether a database has a registry of sealed columns.
    private func isSealed(_ name: String) throws -> Bool {
        try FileSummary.read(name, self)?.columns.isEmpty == false
    }

    /// The rows of a database as commands that only read have it.
    func read(_ name: String, _ keyring: String, fields: Bool) throws -> [String] {
        try Output.$sink.withValue(OutputSink()) {
            try Self.rows(
                access(name, keyring, fields: fields).session().connect(queryOnly: true))
        }
    }

    /// The rows of the one table; none if there is no table.
    static func rows(_ connection: borrowing Connection) throws -> [String] {
        for table in ["person_open", "main.person"] {
            do {
                return try connection.query(
                    "SELECT name, ssn FROM \(verbatim: table) ORDER BY id"
                ) { row in
                    let (name, ssn): (String, Value) = (try row[0], try row[1])
                    guard case .text(let text) = ssn else { return "\(name)/?" }
                    return "\(name)/\(text)"
                }
            } catch let error as LockstepError where error.code == .sqlFailed {
                continue
            }
        }
        _ = try connection.value("SELECT count(*) FROM sqlite_schema", as: Int.self)
        return []
    }

    // MARK: Keyrings

    /// The paths of all keyrings that the user holds, those in the folder first.
    func keyringNames() throws -> [String] {
        try ["keys", "aside"].flatMap { place in
            try FileManager.default.contentsOfDirectory(atPath: path(place).string)
                .filter { $0.hasSuffix(".keyring") && !$0.hasPrefix(".") }.sorted()
                .map { "\(place)/\($0)" }
        }
    }

    func file(_ name: String) -> KeyringFile { KeyringFile(path(name)) }

    func opened(_ name: String) throws -> OpenedKeyring {
        let bytes = try Bytes.read(path(name))
        if let known = keyrings[bytes] { return known }
        let file = file(name)
        let opened = OpenedKeyring(
            file, try file.open { _ in try KeyFile.read(self.path("kf")) })
        keyrings[bytes] = opened
        return opened
    }
}
