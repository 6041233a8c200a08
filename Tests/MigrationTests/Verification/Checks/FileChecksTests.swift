import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("File checks")
struct FileChecksTests {
    private let database: VerifiedDatabase

    init() throws { database = try VerifiedDatabase() }

    private var path: FilePath { database.scratch.path }

    private func chmod(_ path: FilePath, _ mode: Int) throws {
        try FileManager.default.setAttributes(
            [.posixPermissions: mode], ofItemAtPath: path.string)
    }

    // MARK: Permissions

    @Test(
        "A file that others can read is worth a notice, one that they can write fails",
        arguments: [
            (0o600, false, 0), (0o400, false, 0), (0o640, false, 1), (0o604, false, 1),
            (0o644, false, 1), (0o620, true, 1), (0o602, true, 1), (0o666, true, 1),
        ])
    func mode(mode: Int, fails: Bool, findings: Int) throws {
        try chmod(path, mode)
        let report = try database.report()
        let outcome = try #require(report.outcomes.first { $0.check == .permissions })
        #expect(outcome.hasFailed == fails)
        #expect(outcome.findings.count == findings)
        #expect(
            outcome.findings.allSatisfy {
                $0.message.contains("mode \(String(mode, radix: 8))") && $0.message.contains("chmod 600")
            })
        #expect(report.failed == (fails ? [.permissions] : []))
    }

    @Test("Side files count like the file, and a keyring must be fully private")
    func others() throws {
        // Not an empty one: SQLite gives that the database's permissions.
        let zeros = [UInt8](repeating: 0, count: 100)
        try Bytes.write(zeros, to: database.scratch.side("-wal"), mode: 0o666)
        let outcome = try #require(try database.outcome(.permissions))
        #expect(outcome.hasFailed)
        #expect(outcome.findings.map(\.message).allSatisfy { $0.contains("data.db-wal") })
        try FileManager.default.removeItem(atPath: database.scratch.side("-wal").string)
        for (mode, fails) in [(0o600, false), (0o400, false), (0o640, true), (0o604, true)] {
            let keyring = database.scratch.folder.file("a.keyring")
            try Bytes.write([1], to: keyring, mode: mode)
            var verification = database.verification()
            verification.keyringFile = keyring
            let report = try verification.run(key: database.scratch.key())
            #expect(report.failed == (fails ? [.permissions] : []), "\(mode)")
        }
    }

    @Test("A folder that others can write to is worth a notice, unless it is like /tmp") func folder() throws {
        for (mode, count) in [(0o700, 0), (0o755, 0), (0o777, 1), (0o1777, 0)] {
            try chmod(database.scratch.folder.path, mode)
            let outcome = try #require(try database.outcome(.permissions))
            #expect(!outcome.hasFailed && outcome.findings.count == count, "\(outcome)")
        }
    }

    // MARK: Side files

    @Test("A rollback journal fails, and nothing opens the database: it would be replayed") func journal() throws {
        let journal = database.scratch.side("-journal")
        let before = try database.scratch.bytes
        try Bytes.write([0xD9, 0xD5, 5, 0xF9, 0x20, 0xA1, 0x63, 0xD7], to: journal)
        let report = try database.report(deep: true)
        #expect(
            report.failed == [
                .profile, .sideFiles, .integrity, .foreignKeys, .references, .objects, .ledger,
                .drift, .registry, .roundTrip,
            ])
        #expect(report.messages.contains { $0.contains("data.db-journal is a rollback journal") })
        #expect(try Bytes.read(journal).count == 8)
        #expect(try database.scratch.bytes == before)
        // SQLite ignores these.
        for content in [[], [UInt8](repeating: 0, count: 600)] {
            try Bytes.write(content, to: journal)
            #expect(try database.report().isClean)
        }
    }

    /// A rollback journal of one page, as SQLite writes it.
    private static func journal(of page: [UInt8], pages: Int) -> [UInt8] {
        func word(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
        let nonce: UInt32 = 7
        var bytes: [UInt8] = [0xD9, 0xD5, 5, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        for number in [1, nonce, UInt32(pages), 512, UInt32(page.count)] { bytes += word(number) }
        bytes += [UInt8](repeating: 0, count: 512 - bytes.count)
        let sum = stride(from: page.count - 200, to: 0, by: -200).reduce(nonce) { $0 &+ UInt32(page[$1]) }
        return bytes + word(1) + page + word(sum)
    }

    @Test("The journal of a change of mode is worth a notice, and one with an older page fails")
    func modeChange() throws {
        let journal = database.scratch.side("-journal")
        let old = try Array(database.scratch.bytes.prefix(4096))
        try database.scratch.open().run(script: "CREATE TABLE passing (a); DROP TABLE passing;")
        let bytes = try database.scratch.bytes
        let (now, pages) = (Array(bytes.prefix(4096)), bytes.count / 4096)
        try Bytes.write(Self.journal(of: now, pages: pages), to: journal)
        let outcome = try #require(try database.outcome(.sideFiles))
        #expect(
            !outcome.hasFailed && outcome.findings.map(\.message).contains { $0.contains("changed the journal mode") })
        #expect(try !FileManager.default.fileExists(atPath: journal.string) || Bytes.read(journal).first ?? 0 == 0)
        #expect(try database.report().isClean)
        var forged = now
        forged[2000] ^= 1
        for (page, count) in [(old, pages), (forged, pages), (now, pages - 1)] {
            try Bytes.write(Self.journal(of: page, pages: count), to: journal)
            #expect(try database.outcome(.sideFiles)?.hasFailed == true, "\(count)")
            try FileManager.default.removeItem(atPath: journal.string)
        }
    }

    @Test("A log that SQLite would ignore fails; one of zeros is worth a notice") func unreadableLog() throws {
        let log = database.scratch.side("-wal")
        try Bytes.write([UInt8](repeating: 7, count: 5000), to: log)
        let report = try database.report()
        #expect(report.failed == [.sideFiles, .pages])
        #expect(report.messages.contains { $0.contains("does not begin like a write-ahead log") })
        #expect(try Bytes.read(log).count == 5000)
        // The state after a program is killed while it writes the first commit of a log.
        for count in [1, 16, 32 + 24 + 4095] {
            try Bytes.write([UInt8](repeating: 7, count: count), to: log)
            let short = try #require(try database.outcome(.sideFiles))
            #expect(!short.hasFailed && short.findings.count == 1)
        }
        try Bytes.write([UInt8](repeating: 7, count: 32 + 24 + 4096), to: log)
        #expect(try database.report().failed == [.sideFiles, .pages])
        try Bytes.write([UInt8](repeating: 0, count: 5000), to: log)
        let zeros = try #require(try database.outcome(.sideFiles))
        #expect(!zeros.hasFailed && zeros.findings.count == 1)
    }

    @Test("The header of a log with commits in it, destroyed, fails")
    func destroyedLog() throws {
        let copy = database.scratch.folder.file("copy.db")
        let log = FilePath(copy.string + "-wal")
        do {
            let connection = try database.scratch.open()
            try connection.execute("INSERT INTO parent VALUES (1000, 'x')")
            try Bytes.write(Bytes.read(path), to: copy)
            try Bytes.write(Bytes.read(database.scratch.side("-wal")), to: log)
        }
        func report() throws -> VerificationReport {
            try Verification(copy, sets: database.sets).run(key: database.scratch.key())
        }
        #expect(try report().isClean)
        var bytes = try Bytes.read(log)
        bytes[0] ^= 0xFF
        try Bytes.write(bytes, to: log)
        #expect(try report().failed == [.sideFiles, .pages])
        #expect(try Bytes.read(log) == bytes)
    }

    @Test("Unfinished copies are reported")
    func leftovers() throws {
        try database.scratch.folder.write(".data.db.1a2b.new", "x")
        try database.scratch.folder.write(".other.db.1a2b.new", "x")
        let outcome = try #require(try database.outcome(.sideFiles))
        #expect(!outcome.hasFailed)
        #expect(outcome.findings.map(\.message).filter { $0.contains(".data.db.1a2b.new") }.count == 1)
        #expect(outcome.findings.count == 1)
    }

    // MARK: The profile

    @Test("A file that another program left in a different journal mode is worth a notice") func journalMode() throws {
        do {
            let connection = try database.scratch.open()
            try connection.with(rights: .engine) {
                try connection.execute("PRAGMA journal_mode = DELETE")
            }
        }
        let outcome = try #require(try database.outcome(.profile))
        #expect(!outcome.hasFailed)
        #expect(outcome.findings.map(\.message).allSatisfy { $0.contains("journal mode is delete") })
        #expect(outcome.findings.count == 1)
        #expect(try database.report().isClean)
    }
}
