import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Damaged logs of a killed process: no commit that SQLite does not reach is missing in silence.
@Suite("Campaign: damaged logs")
struct DamagedLogCampaignTests {
    private static let campaign = Campaign("DamagedLogCampaignTests")

    private let made: LoggedOrders

    init() throws { made = try LoggedOrders() }

    private func audit(_ path: FilePath) throws -> PageAuditReport {
        try PageAudit(path).run(
            key: made.scratch.key(), threads: 1,
            index: WriteAheadLogIndex.left(beside: path))
    }

    /// How many orders SQLite reaches, without changing anything but the log's index.
    private func reached(_ path: FilePath) throws -> Int? {
        var options = ConnectionOptions()
        options.isQueryOnly = true
        options.looksAtLog = false
        return try Connection.open(path, key: made.scratch.key(), options: options)
            .value("SELECT count(*) FROM orders")
    }

    /// Opens a copy of the files in one of the ways that there are, and returns whether that reports lost commits.
    /// Nothing that salvage finds before is gone after it.
    private func outcome(of number: Int, at path: FilePath) throws -> Bool {
        let copy = made.scratch.folder.file("opened.db")
        for file in try made.scratch.names where file.hasPrefix("opened.db") {
            AtomicFile.remove(made.scratch.folder.file(file))
        }
        for suffix in DatabaseFile.suffixes.dropLast() where FileAccess.exists(DatabaseFile.side(suffix, of: path)) {
            try Bytes.write(Bytes.read(DatabaseFile.side(suffix, of: path)), to: DatabaseFile.side(suffix, of: copy))
        }
        // Salvaging takes longer than all the rest.
        let isSalvaged = number % 4 == 0
        let before = isSalvaged ? try salvaged(copy) : []
        let key = try made.scratch.key()
        var isReported = false
        do {
            switch number / LogDamage.Shape.allCases.count % 4 {
            case 0:
                var reading = ConnectionOptions()
                reading.isQueryOnly = true
                _ = try Connection.open(copy, key: key, options: reading)
            case 1:
                let connection = try Connection.open(copy, key: key)
                isReported = connection.setAsideLog != nil
                try connection.execute("INSERT INTO orders VALUES (1000, 'new')")
            case 2:
                let store = try Store.open(copy, rawKey: key)
                isReported = store.setAsideLog != nil
                // Its keys are those of the first lost rows.
                try store.blocking.write {
                    try $0.execute("INSERT INTO orders (what) VALUES ('new'), ('other')")
                }
                try store.blocking.close()
            default:
                let store = try Store.open(copy, rawKey: key)
                isReported = store.setAsideLog != nil
                _ = try store.blocking.read {
                    try $0.value("SELECT count(*) FROM orders", as: Int.self)
                }
                try store.blocking.close()
            }
        } catch let error as LockstepError where error.code == .damaged {
            isReported = true
        }
        if isSalvaged {
            let after = try salvaged(copy)
            #expect(before.isSubset(of: after), "\(before.subtracting(after).count) orders are gone")
        }
        return isReported
    }

    /// The orders that a salvage finds, wherever they are.
    private func salvaged(_ path: FilePath) throws -> Set<String> {
        let target = made.scratch.folder.file("salvaged.db")
        DatabaseScratch.remove(target)
        _ = try Salvage(path, into: target).run(key: made.scratch.key(), newKey: made.scratch.key(2))
        let connection = try Connection.open(target, key: made.scratch.key(2))
        var found = Set(try connection.query("SELECT what FROM orders") { try $0[0] as String })
        let tables = try connection.query(
            "SELECT name FROM sqlite_schema WHERE name LIKE 'lost_and_found%'"
        ) { try $0[0] as String }
        for table in tables {
            found.formUnion(
                try connection.query("SELECT c1 FROM \(verbatim: table)") {
                    try $0[0] as String? ?? ""
                })
        }
        return found
    }

    /// A look that ends at the first frame without the log's salts, as it was once: the control.
    private func simpleLook(_ log: LogFile, from first: Int) -> Bool {
        (first..<log.frames)
            .prefix {
                log.bytes[(log.start(of: $0) - 16)..<(log.start(of: $0) - 8)] == log.bytes[16..<24]
            }
            .contains { log.commits($0) }
    }

    @Test("Each log with a commit that cannot be reached is reported")
    func reported() throws {
        guard let part = Self.campaign.begin() else { return }
        defer { part.end() }
        var random = SplitMix64(state: Torture.campaignSeed)
        var overlooked = 0
        for number in 0..<(Torture.isLong ? 4000 : 84) where part.goesOn() {
            let damage = LogDamage(number, of: made.log, &random)
            let path = try made.put(damage.bytes, hasIndex: damage.hasIndex, as: "damaged.db")
            let audit = try audit(path)
            let opened = try outcome(of: number, at: path)
            let reached = try #require(try reached(path))
            guard reached < LoggedOrders.orders else {
                part.count("without loss")
                continue
            }
            part.count("with lost commits")
            if damage.hasIndex || damage.hasCommitAfter {
                #expect(audit.hasLostCommits, "\(damage): \(audit)")
                #expect(opened, "\(damage): opening said nothing")
            } else if !audit.hasLostCommits, audit.incompleteCommits == 0 {
                part.count("cut at the end")
            }
            if !simpleLook(LogFile(bytes: damage.bytes), from: audit.frames) { overlooked += 1 }
        }
        part.count("overlooked by a simple look", overlooked)
        if part.isComplete(for: "the control") { #expect(overlooked > 20) }
    }

    @Test("Undamaged logs have lost nothing")
    func whole() throws {
        for hasIndex in [true, false] {
            let path = try made.put(made.log.bytes, hasIndex: hasIndex, as: "whole.db")
            let audit = try audit(path)
            #expect(audit.isClean && audit.incompleteCommits == 0 && !audit.isLogHeaderDamaged)
            #expect(audit.uncommittedFrames == 0)
            #expect(try reached(path) == LoggedOrders.orders)
        }
    }

    @Test("A log that is gone is missed, if its index is there")
    func gone() throws {
        let path = try made.put([], hasIndex: true, as: "gone.db")
        #expect(try audit(path).missingFrames == made.log.frames)
        let other = try made.put([], hasIndex: false, as: "other.db")
        #expect(try audit(other).isClean)
    }

    @Test("Of a log that a checkpoint has copied completely, a damaged header loses nothing") func copied() throws {
        let scratch = try DatabaseScratch()
        let connection = try scratch.create()
        try connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, body BLOB NOT NULL)")
        try scratch.add(rows: 300, to: connection)
        try connection.checkpoint(.full)
        let copy = scratch.folder.file("copy.db")
        try scratch.copy(to: copy)
        var log = LogFile(bytes: try Bytes.read(FilePath(copy.string + "-wal")))
        log.bytes[16] ^= 1
        try Bytes.write(log.bytes, to: FilePath(copy.string + "-wal"))
        let audit = try PageAudit(copy).run(key: scratch.key())
        #expect(audit.isClean && audit.isLogHeaderDamaged && audit.frames == 0)
        // A damaged frame in its middle brings older pages back over newer ones.
        log.bytes[16] ^= 1
        log.bytes[log.start(of: log.frames - 2)] ^= 1
        #expect(log.commits(log.frames - 1))
        try Bytes.write(log.bytes, to: FilePath(copy.string + "-wal"))
        #expect(try PageAudit(copy).run(key: scratch.key()).lostCommits == 1)
    }
}
