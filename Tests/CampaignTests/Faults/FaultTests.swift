import Dispatch
import FaultyVFS
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Whichever call to the file layer fails, the engine reports it or has done its work, and the database is intact: the
/// old one or the new one.
@Suite("Failing files", .serialized)
struct FaultTests {
    static let campaign = Campaign("FaultTests", parts: 10 * FaultCampaign.Fault.allCases.count)
    private static let rows = 120

    /// A database of some pages with its log checkpointed, made once.
    private static let original: [UInt8] = {
        do {
            let scratch = try DatabaseScratch()
            try scratch.fill(rows: rows)
            return try scratch.bytes
        } catch {
            return []
        }
    }()

    private static func prepare(_ scratch: DatabaseScratch) throws {
        try Bytes.write(original, to: scratch.path)
    }

    private static var options: ConnectionOptions {
        var options = ConnectionOptions()
        options.busyTimeout = .zero
        return options
    }

    /// Opens without faults and expects a sound database with one of these row counts, and no other file.
    private static func expect(_ allowed: [Int], in scratch: DatabaseScratch) throws {
        do {
            let connection = try scratch.open(options)
            let count = try scratch.count(connection) ?? -1
            #expect(allowed.contains(count), "\(count) rows")
            try IntegrityPragma.require(connection)
            try scratch.add(rows: 1, to: connection)
        }
        #expect(try PageAudit(scratch.path).run(key: scratch.key()).isClean)
        #expect(try scratch.names == ["data.db"])
    }

    private func expectSeen(
        _ outcome: FaultCampaign.Outcome, atLeast errors: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        if !outcome.isStopped {
            #expect(outcome.ended, sourceLocation: sourceLocation)
            #expect(outcome.errors >= errors, "\(outcome)", sourceLocation: sourceLocation)
        }
        let typed: Set<LockstepError.Code> = [
            .inputOutput, .full, .busy, .accessDenied, .damaged, .sqlFailed, .replaced,
        ]
        #expect(typed.isSuperset(of: outcome.messages.keys), "\(outcome)", sourceLocation: sourceLocation)
    }

    @Test("Opening", arguments: FaultCampaign.Fault.allCases)
    func opening(_ fault: FaultCampaign.Fault) throws {
        let outcome = try FaultCampaign(fault: fault, stride: 1).run(prepare: Self.prepare) {
            scratch in
            let connection = try scratch.open(Self.options)
            #expect(try scratch.count(connection) == Self.rows)
        } check: { scratch, _ in
            try Self.expect([Self.rows], in: scratch)
        }
        expectSeen(outcome, atLeast: fault == .full ? 0 : 1)
        #expect(outcome.messages[.damaged] == nil, "\(outcome)")
        #expect(outcome.messages[.wrongKey] == nil, "\(outcome)")
    }

    @Test("Creating", arguments: FaultCampaign.Fault.allCases)
    func creating(_ fault: FaultCampaign.Fault) throws {
        let outcome = try FaultCampaign(fault: fault, stride: 3).run(prepare: { _ in }) { scratch in
            try scratch.fill(rows: 10)
        } check: { scratch, succeeded in
            guard FileAccess.exists(scratch.path) else {
                #expect(!succeeded)
                return #expect(try scratch.names == [])
            }
            do {
                if succeeded { return try Self.expect([10], in: scratch) }
                // Created, but not filled.
                let connection = try scratch.open(Self.options)
                let tables: Int? = try connection.value("SELECT count(*) FROM sqlite_schema")
                #expect(tables == 0 || tables == 1)
                return
            }
        }
        expectSeen(outcome, atLeast: 5)
    }

    @Test("A transaction", arguments: FaultCampaign.Fault.allCases)
    func transaction(_ fault: FaultCampaign.Fault) throws {
        let outcome = try FaultCampaign(fault: fault).run(prepare: Self.prepare) { scratch in
            let connection = try scratch.open(Self.options)
            try scratch.add(rows: 60, to: connection)
        } check: { scratch, succeeded in
            try Self.expect(succeeded ? [Self.rows + 60] : [Self.rows, Self.rows + 60], in: scratch)
        }
        expectSeen(outcome, atLeast: 1)
    }

    @Test(
        "A transaction in which a statement fails and another is tried",
        arguments: FaultCampaign.Fault.allCases)
    func goingOn(_ fault: FaultCampaign.Fault) throws {
        let outcome = try FaultCampaign(fault: fault).run(prepare: Self.prepare) { scratch in
            let connection = try scratch.open(Self.options)
            try? scratch.add(rows: 30, to: connection)
            try scratch.add(rows: 60, to: connection)
        } check: { scratch, succeeded in
            let after = [60, 90].map { Self.rows + $0 }
            try Self.expect(
                succeeded ? after : after + [Self.rows, Self.rows + 30], in: scratch)
        }
        expectSeen(outcome, atLeast: 1)
    }

    @Test("Writes that share a transaction", arguments: FaultCampaign.Fault.allCases)
    func groups(_ fault: FaultCampaign.Fault) throws {
        let outcome = try FaultCampaign(fault: fault).run(prepare: Self.prepare) {
            scratch in
            let store = try Store.open(
                scratch.path, rawKey: scratch.key(), options: StoreOptions(connection: Self.options))
            let first = try Group.write(8, rows: 5, to: store, scratch)
            let kept: Int? = try? store.blocking.read { try scratch.count($0) }
            // A caller that saw a commit finds it; a caller that saw a failure may find it or not.
            if let kept { #expect(kept >= Self.rows + first.succeeded * 5) }
            if let error = first.error { throw error }
        } check: { scratch, succeeded in
            let all = Self.rows + 40
            try Self.expect(succeeded ? [all] : Array(stride(from: Self.rows, through: all, by: 5)), in: scratch)
        }
        expectSeen(outcome, atLeast: 1)
    }

    @Test("A checkpoint", arguments: FaultCampaign.Fault.allCases)
    func checkpoint(_ fault: FaultCampaign.Fault) throws {
        let outcome = try FaultCampaign(fault: fault).run(prepare: Self.prepare) { scratch in
            let connection = try scratch.open(Self.options)
            try scratch.add(rows: 60, to: connection)
            try connection.checkpoint(.truncate)
        } check: { scratch, succeeded in
            try Self.expect(succeeded ? [Self.rows + 60] : [Self.rows, Self.rows + 60], in: scratch)
        }
        expectSeen(outcome, atLeast: 1)
    }

    @Test("Filling a blob", arguments: FaultCampaign.Fault.allCases)
    func blob(_ fault: FaultCampaign.Fault) throws {
        let bytes = [UInt8](repeating: 0xB7, count: 30_000)
        let outcome = try FaultCampaign(fault: fault).run(prepare: Self.prepare) { scratch in
            let connection = try scratch.open(Self.options)
            try connection.write { connection in
                try connection.execute("INSERT INTO item (body) VALUES (?)", ZeroBytes(bytes.count))
                let place = BlobPlace(table: "item", column: "body", row: connection.lastInsertedRowID)
                try connection.withBlob(place, .write) { try $0.write(bytes, at: 0) }
            }
        } check: { scratch, succeeded in
            if succeeded {
                let connection = try scratch.open(Self.options)
                #expect(try connection.value("SELECT body FROM item ORDER BY id DESC LIMIT 1") == bytes)
            }
            try Self.expect(succeeded ? [Self.rows + 1] : [Self.rows, Self.rows + 1], in: scratch)
        }
        expectSeen(outcome, atLeast: 1)
    }

    @Test(
        "Negative control: a log that cannot be written fails the commit, and nothing is kept"
    )
    func lostWrite() throws {
        for fault in [FaultCampaign.Fault.once, .full] {
            let scratch = try DatabaseScratch()
            try Self.prepare(scratch)
            try #require(faulty_vfs_install() == 0)
            let connection = try scratch.open(Self.options)
            let log = scratch.side("-wal")
            log.withPlatformString {
                faulty_vfs_arm($0, Int32(FAULTY_WRITE), fault.rawValue, 1)
            }
            Refusal.expect(fault == .full ? .full : .inputOutput) {
                try scratch.add(rows: 5, to: connection)
            }
            #expect(faulty_vfs_disarm() > 0)
            #expect(try scratch.count(connection) == Self.rows)
            try scratch.add(rows: 5, to: connection)
            #expect(try scratch.count(connection) == Self.rows + 5)
        }
    }
}

/// Concurrent blocking writes from several threads.
private enum Group {
    static func write(
        _ writers: Int, rows: Int, to store: Store, _ scratch: DatabaseScratch
    ) throws -> (succeeded: Int, error: (any Error)?) {
        let outcome = Outcomes()
        DispatchQueue.concurrentPerform(iterations: writers) { _ in
            outcome.note(Result { try store.blocking.write { try scratch.add(rows: rows, inside: $0) } })
        }
        return outcome.state.withLock { $0 }
    }

    private final class Outcomes: Sendable {
        let state = Mutex<(succeeded: Int, error: (any Error)?)>((0, nil))

        func note(_ result: Result<Void, any Error>) {
            state.withLock { state in
                switch result {
                case .success: state.succeeded += 1
                case .failure(let error): state.error = error
                }
            }
        }
    }
}
