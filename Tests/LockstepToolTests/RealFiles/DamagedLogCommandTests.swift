import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Commands of the tool on a database whose log a killed process left, damaged since: none tidies away what a salvage
/// can still find, whether it reads, writes, fails or is refused.
@Suite("Campaign: commands beside damaged logs")
struct DamagedLogCommandTests {
    private static let campaign = Campaign("DamagedLogCommandTests")
    private static let commands = [
        "backup copy.db", "export plain.db --plaintext --i-understand",
        "keys add-slot second --new-key-file k2", "keys rotate-ring", "rollback --steps 1 -m fill",
        "baseline --at 1 -m fill", "restore whole.db", "migrate --safe -m fill",
    ]

    private let folder: TemporaryFolder
    /// The database, its log and the log's index.
    private let left: [(suffix: String, bytes: [UInt8])]
    private let log: LogFile

    init() async throws {
        folder = try TemporaryFolder()
        let made = folder.file("made")
        try FileManager.default.createDirectory(
            atPath: made.appending("fill").string, withIntermediateDirectories: true)
        for (name, byte) in [("k", 7), ("k2", 8)] as [(String, UInt8)] {
            try Bytes.write([UInt8](repeating: byte, count: 32), to: made.appending(name))
        }
        try Bytes.write(
            Array("-- lockstep: up\nCREATE TABLE orders (id INTEGER PRIMARY KEY, what TEXT);\n".utf8),
            to: made.appending("fill/0001_a.sql"))
        for line in ["init", "migrate -m fill", "backup whole.db"] {
            let (code, reported) = try await Self.run(line, in: made)
            try #require(code == .exited(0), "\(line): \(reported)")
        }
        let path = made.appending("data.db")
        let connection = try Connection.open(path, key: Self.key(in: folder))
        try connection.execute("PRAGMA wal_autocheckpoint = 0")
        try connection.checkpoint(.truncate)
        for order in 1...LoggedOrders.orders {
            try connection.execute("INSERT INTO orders VALUES (?, ?)", order, SalvageScratch.text(order, length: 900))
        }
        left = try DatabaseFile.suffixes.prefix(3).map { suffix in
            (suffix: suffix, bytes: try Bytes.read(FilePath(path.string + suffix)))
        }
        log = LogFile(bytes: left[1].bytes)
    }

    private static func key(in folder: TemporaryFolder) throws -> DatabaseKey {
        let made = folder.file("made")
        return try KeyringFile.database(beside: made.appending("data.db")).open { _ in
            try KeyFile.read(made.appending("k"))
        }.keyOfNew(made.appending("data.db"))
    }

    private static func run(_ line: String, in folder: FilePath) async throws -> (
        code: TerminationStatus, reported: String
    ) {
        let words = line.split(separator: " ").map(String.init)
        let result = try await Subprocess.run(
            .path(Programs.path("lockstep")), arguments: Arguments(words + ["-d", "data.db", "--key-file", "k"]),
            workingDirectory: folder, output: .string(limit: 100_000), error: .string(limit: 100_000))
        return (result.terminationStatus, result.standardOutput + result.standardError)
    }

    /// The files with this log, in a folder of their own.
    private func put(_ log: [UInt8], hasIndex: Bool) throws -> FilePath {
        let place = folder.file("place")
        try? FileManager.default.removeItem(atPath: place.string)
        try FileManager.default.copyItem(atPath: folder.file("made").string, toPath: place.string)
        let path = place.appending("data.db")
        DatabaseScratch.remove(path)
        try Bytes.write(left[0].bytes, to: path)
        try Bytes.write(log, to: FilePath(path.string + "-wal"))
        if hasIndex { try Bytes.write(left[2].bytes, to: FilePath(path.string + "-shm")) }
        return path
    }

    /// The orders that a salvage finds, wherever they are.
    private func salvaged(_ path: FilePath) throws -> Set<String> {
        let target = folder.file("salvaged.db")
        DatabaseScratch.remove(target)
        _ = try Salvage(path, into: target).run(key: Self.key(in: folder), newKey: Self.key(in: folder))
        let connection = try Connection.open(target, key: Self.key(in: folder))
        var found = Set(try connection.query("SELECT what FROM orders") { try $0[0] as String })
        let tables = try connection.query(
            "SELECT name FROM sqlite_schema WHERE name LIKE 'lost_and_found%'"
        ) { try $0[0] as String }
        for table in tables {
            found.formUnion(
                try connection.query("SELECT c1 FROM \(name: table) WHERE typeof(c1) = 'text'") {
                    try $0[0] as String
                })
        }
        return found
    }

    /// Holds the shared lock of a program that has the database open, until the file is closed.
    private func hold(_ path: FilePath) throws -> FileDescriptor {
        let file = try FileDescriptor.open(path, .readWrite, options: .closeOnExec)
        var lock = flock()
        (lock.l_type, lock.l_whence) = (Int16(F_RDLCK), Int16(SEEK_SET))
        (lock.l_start, lock.l_len) = (0x4000_0002, 510)
        try #require(fcntl(file.rawValue, F_SETLK, &lock) == 0)
        return file
    }

    @Test("No command tidies away what a salvage finds")
    func kept() async throws {
        guard let part = Self.campaign.begin() else { return }
        defer { part.end() }
        var random = SplitMix64(state: Torture.campaignSeed)
        for number in 0..<(Torture.isLong ? 2000 : Self.commands.count) where part.goesOn() {
            let damage = LogDamage(number, of: log, &random)
            let path = try put(damage.bytes, hasIndex: damage.hasIndex)
            let before = try salvaged(path)
            let command = Self.commands[number % Self.commands.count]
            let held = command.hasPrefix("restore") ? try hold(path) : nil
            let (code, reported) = try await Self.run(command, in: path.removingLastComponent())
            try held?.close()
            #expect(code != .exited(64), "\(command): \(reported)")
            if held != nil { #expect(code != .exited(0), "the restore was not refused") }
            let gone = try before.subtracting(salvaged(path))
            #expect(gone.isEmpty, "\(command), \(damage): \(gone.count) orders are gone: \(reported)")
            part.count("commands that failed", code == .exited(0) ? 0 : 1)
        }
    }

    @Test("The campaign notices an opening that looks at nothing")
    func control() throws {
        var log = log
        log.bytes[log.start(of: 10) + 700] ^= 1
        let path = try put(log.bytes, hasIndex: false)
        let before = try salvaged(path)
        #expect(before.count >= 18)
        do {
            var options = ConnectionOptions()
            options.looksAtLog = false
            let connection = try Connection.open(path, key: Self.key(in: folder), options: options)
            try connection.execute("INSERT INTO orders VALUES (100, 'new')")
            try connection.checkpoint(.truncate)
        }
        #expect(try !before.isSubset(of: salvaged(path)))
    }
}
