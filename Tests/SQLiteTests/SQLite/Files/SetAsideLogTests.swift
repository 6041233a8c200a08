import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// What opening does with a log whose commits cannot all be reached: half of 20 orders are after a flipped bit.
@Suite("A damaged log is not tidied away")
struct SetAsideLogTests {
    private let made: LoggedOrders
    private let path: FilePath

    init() throws {
        made = try LoggedOrders()
        var log = made.log.bytes
        log[made.log.start(of: made.log.frames / 2) + 700] ^= 1
        path = try made.put(log, hasIndex: false, as: "data.sqlite")
    }

    private var copy: FilePath { FilePath("\(path).damaged-1") }

    private func files() throws -> [String: [UInt8]] {
        let names = try made.scratch.names.filter {
            $0.hasPrefix("data.sqlite") && !$0.hasSuffix("-shm")
        }
        return try Dictionary(uniqueKeysWithValues: names.map { ($0, try Bytes.read(made.scratch.folder.file($0))) })
    }

    private var target: FilePath { made.scratch.folder.file("new.sqlite") }

    private func salvage() throws -> SalvageReport {
        try Salvage(path, into: target).run(
            key: made.scratch.key(), newKey: made.scratch.key(2))
    }

    @Test("Reading refuses, and changes nothing")
    func reading() throws {
        let before = try files()
        var options = ConnectionOptions()
        options.isQueryOnly = true
        var refusing = StoreOptions()
        refusing.connection.damagedLog = .refuse
        Refusal.expect(.damaged) {
            _ = try Connection.open(path, key: made.scratch.key(), options: options)
        }
        Refusal.expect(.damaged) {
            _ = try Store.open(path, rawKey: made.scratch.key(), options: refusing)
        }
        #expect(try files() == before)
        // After a power cut that is normal for a program that does not sync its commits.
        options.synchronous = .normal
        let connection = try Connection.open(path, key: made.scratch.key(), options: options)
        #expect(try connection.value("SELECT count(*) FROM orders", as: Int.self) ?? 20 < 20)
    }

    @Test("Writing sets the database and its log aside, and goes on; salvage finds both parts") func writing() throws {
        let before = try files()
        do {
            let connection = try Connection.open(path, key: made.scratch.key())
            let aside = connection.setAsideLog
            #expect(aside?.copy == copy && aside?.lostCommits ?? 0 > 5)
            // Its key is one of the lost rows'.
            try connection.execute("INSERT INTO orders (what) VALUES ('new')")
        }
        let after = try files()
        #expect(after["data.sqlite.damaged-1"] == before["data.sqlite"])
        #expect(after["data.sqlite.damaged-1-wal"] == before["data.sqlite-wal"])
        #expect(try DatabaseScratch.mode(of: copy) == 0o600)
        // The next opening has nothing to say.
        let again = try Connection.open(path, key: made.scratch.key()).setAsideLog
        #expect(again == nil)
        let report = try salvage()
        let new = try Connection.open(target, key: made.scratch.key(2))
        #expect(try new.value("SELECT count(*) FROM orders", as: Int.self) == LoggedOrders.orders)
        #expect(report.setAside.count == 1 && report.setAside[0].rows > 5, "\(report)")
        #expect(report.setAside[0].lostAndFound?.rows == 1 && !report.isComplete)
        #expect(try new.value("SELECT count(*) FROM lost_and_found", as: Int.self) == 1)
        #expect(report.description.contains("set aside with a damaged log"))
        let verified = try Verification(path, sets: []).run(key: made.scratch.key())
        let sides = verified.outcomes.first { $0.check == .sideFiles }
        #expect(sides?.findings.contains { $0.message.contains("was set aside") } == true)
    }

    @Test("A store sets it aside once, and says so; so does a second damage")
    func store() throws {
        do {
            let store = try Store.open(path, rawKey: made.scratch.key())
            #expect(store.setAsideLog?.copy == copy)
            // A connection that comes later does not look again.
            let other = try Connection.open(path, key: made.scratch.key()).setAsideLog
            #expect(other == nil)
            _ = try store.blocking.read { try $0.value("SELECT 1", as: Int.self) }
            try store.blocking.close()
        }
        #expect(try SetAsideLog.copies(of: path) == [copy])
        let again = try made.put(
            made.log.bytes.enumerated().map {
                $0.offset == made.log.start(of: 3) ? $0.element ^ 1 : $0.element
            },
            hasIndex: true, as: "data.sqlite")
        let second = try Store.open(again, rawKey: made.scratch.key()).setAsideLog
        #expect(second?.copy.string.hasSuffix("damaged-2") == true)
    }

    @Test("A rotation is refused, and the log stays")
    func rotation() throws {
        let before = try files()
        Refusal.expect(.damaged) { _ = try KeyChange.begin(path, key: made.scratch.key()) }
        #expect(try files() == before)
    }

    @Test("Without room for the copy, opening fails and the log stays")
    func full() throws {
        let before = try files()
        let found = try LogExamination.run(
            on: path, PageAuthenticator(.current, key: made.scratch.key().secret, salt: DatabaseScratch.salt(1)))
        Refusal.expect(.full) { _ = try SetAsideLog.make(of: path, found) { _ in 1000 } }
        #expect(try files() == before)
    }

    @Test("While a connection has the database open, its log is nobody else's")
    func inUse() throws {
        let scratch = try DatabaseScratch()
        let connection = try scratch.create()
        try connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, body BLOB NOT NULL)")
        try scratch.add(rows: 100, to: connection)
        var log = try Bytes.read(scratch.side("-wal"))
        log[100] ^= 1
        try Bytes.write(log, to: scratch.side("-wal"))
        let found = try FirstLook.run(on: scratch.path, key: scratch.key(), timeout: .zero, .refuse)
        #expect(found == nil)
    }

    @Test("Threads that look at once wait for each other, however long that takes")
    func threads() throws {
        let (path, scratch) = (path, made.scratch)
        // A connection that is open would be the reason for nil, and a turn that was not waited for one for busy.
        try Parallel.run(pieces: 200, with: Array(repeating: (), count: 16)) { _, _ in
            Refusal.expect(.damaged) {
                _ = try FirstLook.run(on: path, key: scratch.key(), timeout: .zero, .refuse)
            }
        }
    }

    @Test("Another program that looks is waited for up to the time limit, and the next look finds it gone")
    func otherProgram() throws {
        do {
            let other = try FileLock(FilePath("\(path)-wal"), creating: false)
            for _ in 0..<2 {
                Refusal.expect(.busy) {
                    _ = try FirstLook.run(on: path, key: made.scratch.key(), timeout: .zero, .refuse)
                }
            }
            _ = consume other
        }
        Refusal.expect(.damaged) {
            _ = try FirstLook.run(on: path, key: made.scratch.key(), timeout: .zero, .refuse)
        }
    }

    @Test("A refused restore leaves the log, and one that is not refused replaces it") func restore() throws {
        let backup = made.scratch.folder.file("backup.sqlite")
        do {
            let connection = try Connection.create(backup, key: made.scratch.key())
            try connection.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, what TEXT NOT NULL)")
        }
        let before = try files()
        do {
            // Another program that reads, and has its own idea of the log.
            var options = ConnectionOptions()
            options.isQueryOnly = true
            options.looksAtLog = false
            let other = try Connection.open(path, key: made.scratch.key(), options: options)
            Refusal.expect(.busy) {
                _ = try Restore(path, from: backup).run(key: made.scratch.key(), backupKey: made.scratch.key())
            }
            _ = try other.value("SELECT 1", as: Int.self)
        }
        #expect(try files() == before)
        try Restore(path, from: backup).run(key: made.scratch.key(), backupKey: made.scratch.key())
        #expect(
            try Connection.open(path, key: made.scratch.key()).value("SELECT count(*) FROM orders", as: Int.self) == 0)
    }
}
