import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("The journal of a safe migration")
struct SafeJournalTests {
    private let folder: TemporaryFolder
    private let database: FilePath
    private let mark = [UInt8](0..<32)

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("data.db")
    }

    private var path: FilePath { folder.file("data.db.safe-migration") }
    private func backup(_ number: Int) -> FilePath {
        folder.file("data.db.20260131T120000Z-\(number).before-migration")
    }

    @Test("The journal is read back as written, and only its owner can read it")
    func roundTrip() throws {
        #expect(try SafeJournal.read(of: database) == nil)
        for journal in [
            SafeJournal(phase: .migrating, backup: backup(1)),
            SafeJournal(phase: .verifying, backup: backup(1), content: mark),
            SafeJournal(
                phase: .restoring, backup: backup(2), origin: backup(1), content: mark),
        ] {
            try journal.write(of: database)
            #expect(try SafeJournal.read(of: database) == journal)
            #expect(try DatabaseScratch.mode(of: path) == 0o600)
        }
        try SafeJournal.remove(of: database)
        #expect(try SafeJournal.read(of: database) == nil)
    }

    @Test("The text matches its description")
    func text() throws {
        try SafeJournal(
            phase: .restoring, backup: backup(2), origin: backup(1), content: mark
        ).write(of: database)
        #expect(
            try String(decoding: Bytes.read(path), as: UTF8.self) == """
                lockstep-safe-migration 1
                phase restoring
                backup data.db.20260131T120000Z-2.before-migration
                origin data.db.20260131T120000Z-1.before-migration
                content 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f

                """)
    }

    @Test("A backup in another folder is named by its absolute path, from any working directory")
    func otherFolder() throws {
        let other = try TemporaryFolder()
        let backup = other.path.appending(".").appending("data.db-1.before-migration")
        try SafeJournal(phase: .migrating, backup: backup).write(of: database)
        let read = try #require(try SafeJournal.read(of: database))
        #expect(read.backup.isAbsolute && !read.backup.string.contains("/./"))
        #expect(read.backup.lastComponent?.string == "data.db-1.before-migration")
    }

    @Test(
        "Any other text is refused",
        arguments: [
            "", "\n", "lockstep-safe-migration 1\n",
            "lockstep-safe-migration 2\nphase migrating\nbackup data.db.before-migration\n",
            "lockstep-safe-migration 1\nphase migrating\nbackup data.db.before-migration",
            "lockstep-safe-migration 1\nphase migrating\nbackup \n",
            "lockstep-safe-migration 1\nphase migrating\nbackup data.db\n",
            "lockstep-safe-migration 1\nphase migrating\nbackup other.before-migration\n",
            "lockstep-safe-migration 1\nphase migrating\nbackup data.db.before-migration\norigin data.db\n",
            // A path ends at its NUL: the backup would be the database itself.
            "lockstep-safe-migration 1\nphase migrating\nbackup data.db\0.before-migration\n",
            "lockstep-safe-migration 1\nphase asleep\nbackup data.db.before-migration\n",
            "lockstep-safe-migration 1\nbackup data.db.before-migration\nphase migrating\n",
            "lockstep-safe-migration 1\nphase migrating\nbackup data.db.before-migration\nmore c\n",
            "lockstep-safe-migration 1\nphase migrating\nbackup data.db.before-migration\norigin \n",
            "lockstep-safe-migration 1\nphase migrating\nbackup data.db.before-migration\ncontent 00\n",
            "lockstep-safe-migration 1\nphase migrating\nbackup data.db.before-migration\ncontent "
                + String(repeating: "0G", count: 32) + "\n",
            "lockstep-safe-migration 1\r\nphase migrating\r\nbackup b\r\n",
            " lockstep-safe-migration 1\nphase migrating\nbackup data.db.before-migration\n",
        ])
    func malformed(text: String) throws {
        try Bytes.write(Array(text.utf8), to: path)
        Refusal.expect(.malformedInput) { _ = try SafeJournal.read(of: database) }
    }

    @Test("Bytes that are not text, an oversized file, a link and a folder are refused, too") func hostile() throws {
        try Bytes.write([0xFF, 0xFE], to: path)
        Refusal.expect(.malformedInput) { _ = try SafeJournal.read(of: database) }
        try Bytes.write([UInt8](repeating: 0x61, count: 100_000), to: path)
        Refusal.expect(.tooLarge) { _ = try SafeJournal.read(of: database) }
        let files = FileManager.default
        try files.removeItem(atPath: path.string)
        try files.createSymbolicLink(atPath: path.string, withDestinationPath: "nowhere")
        Refusal.expect(.notAFile) { _ = try SafeJournal.read(of: database) }
        try files.removeItem(atPath: path.string)
        try files.createDirectory(atPath: path.string, withIntermediateDirectories: false)
        Refusal.expect(.notAFile) { _ = try SafeJournal.read(of: database) }
    }
}
