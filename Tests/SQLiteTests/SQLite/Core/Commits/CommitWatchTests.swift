import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Counting commits")
struct CommitWatchTests {
    private let scratch: DatabaseScratch

    init() throws {
        scratch = try DatabaseScratch()
        try scratch.fill(rows: 20)
    }

    @Test("Own and foreign commits are counted separately, and uncommitted writes not at all") func counting() throws {
        let connection = try scratch.open()
        let watch = try connection.watchCommits()
        #expect(try watch.own == 0 && watch.others(connection) == 0)
        try scratch.add(rows: 3, to: connection)
        try connection.execute("DELETE FROM item WHERE id = 1")
        #expect(try watch.own == 2 && watch.others(connection) == 0)
        #expect(throws: Stop.self) {
            try connection.write { connection in
                try connection.execute("DELETE FROM item")
                throw Stop()
            }
        }
        _ = try scratch.count(connection)
        try connection.write { _ in }
        #expect(try watch.own == 2 && watch.others(connection) == 0)
        let other = try scratch.open()
        _ = try scratch.count(other)
        #expect(try watch.others(connection) == 0)
        try scratch.add(rows: 1, to: other)
        #expect(try watch.own == 2 && watch.others(connection) == 1)
        try scratch.add(rows: 1, to: connection)
        try scratch.add(rows: 1, to: other)
        #expect(try watch.own == 3 && watch.others(connection) == 2)
        try watch.begin(connection)
        #expect(try watch.own == 0 && watch.others(connection) == 0)
    }

    @Test("Reads and checkpoints by others are not commits")
    func checkpoints() throws {
        let connection = try scratch.open()
        try scratch.add(rows: 50, to: connection)
        let watch = try connection.watchCommits()
        let before: Int? = try connection.value("PRAGMA data_version")
        do {
            let other = try scratch.open()
            _ = try scratch.count(other)
            try other.checkpoint(.truncate)
        }
        _ = try scratch.count(connection)
        // SQLite's own answer differs, so it is not used.
        let after: Int? = try connection.value("PRAGMA data_version")
        #expect(before != after)
        #expect(try watch.others(connection) == 0)
    }

    @Test("The log is checkpointed from 1000 pages on, as it is without counting")
    func log() throws {
        let connection = try scratch.open()
        _ = try connection.watchCommits()
        for _ in 0..<12 {
            try connection.write { connection in
                try connection.execute("CREATE TABLE IF NOT EXISTS big (x)")
                for _ in 0..<100 {
                    try connection.execute("INSERT INTO big VALUES (randomblob(4000))")
                }
            }
        }
        #expect(try Bytes.read(scratch.path).count > 900 * 4096)
        #expect(try Bytes.read(scratch.side("-wal")).count < 1400 * 4096)
    }

    @Test(
        "A full disk does not count as a commit for others",
        .enabled(if: SmallDisk.isPossible, SmallDisk.missing))
    func full() throws {
        let disk = try SmallDisk(megabytes: 2)
        defer { disk.unmount() }
        let path = disk.path.appending("data.db")
        try Bytes.write(scratch.bytes, to: path)
        let connection = try Connection.open(path, key: scratch.key())
        let watch = try connection.watchCommits()
        Refusal.expect(.full) {
            try connection.write { connection in
                try connection.execute("PRAGMA cache_size = 10")
                for _ in 0..<2000 {
                    try connection.execute("INSERT INTO item (body) VALUES (randomblob(3000))")
                }
            }
        }
        #expect(try watch.own == 0 && watch.others(connection) == 0)
        try scratch.add(rows: 1, to: connection)
        #expect(try watch.own == 1 && watch.others(connection) == 0)
    }

    @Test("Without a log commits cannot be counted, and that is reported")
    func memory() throws {
        let connection = try Connection.inMemory()
        Refusal.expect(.libraryUnusable) { _ = try connection.watchCommits() }
    }
}
