import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A crash leaves commits in the write-ahead log; damage there must be reported, and nothing discarded.
@Suite("A damaged log")
struct DamagedLogTests {
    @Test("Commits after a flipped bit fail the verification, and the log is not changed") func cutOff() throws {
        let scratch = try DatabaseScratch()
        let crashed = scratch.folder.file("crashed.db")
        do {
            let connection = try scratch.create()
            try connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, body BLOB NOT NULL)")
            try scratch.add(rows: 300, to: connection)
            try scratch.add(rows: 300, to: connection)
            // The state that a killed process leaves: the file and its log as they are now.
            try Bytes.write(Bytes.read(scratch.path), to: crashed)
            try Bytes.write(
                Bytes.read(scratch.side("-wal")), to: FilePath(crashed.string + "-wal"))
        }
        let log = FilePath(crashed.string + "-wal")
        func verify() throws -> VerificationReport {
            try Verification(crashed, sets: []).run(key: scratch.key())
        }
        let whole = try Bytes.read(log)
        let sound = try verify()
        #expect(!sound.outcomes.contains { $0.check == .pages && $0.hasFailed }, "\(sound)")
        #expect(try Bytes.read(log) == whole)
        var damaged = whole
        damaged[32 + 2 * (24 + 4096) + 500] ^= 1
        try Bytes.write(damaged, to: log)
        let report = try verify()
        let pages = try #require(report.outcomes.first { $0.check == .pages })
        #expect(pages.hasFailed)
        #expect(
            pages.findings.contains {
                $0.message.contains("damage in the write-ahead log cuts off the")
            })
        #expect(try Bytes.read(log) == damaged)
        // A power cut takes the last commits of a database that does not sync them.
        var verification = Verification(crashed, sets: [])
        verification.schema.synchronous = .normal
        let torn = try verification.run(key: scratch.key()).outcomes.first { $0.check == .pages }
        #expect(torn?.hasFailed == false)
        #expect(torn?.findings.contains { $0.message.contains("cuts off the") } == true)
    }
}
