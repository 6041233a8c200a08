import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Jobs that need a keyring's keys until they end, beside the destruction of a key.
@Suite("No key is destroyed beside a job that needs it")
struct UseLockTests {
    /// A job that makes a file under a key, or converts cells.
    enum Job: String, CaseIterable {
        case backup, provisioning, rehearsal, safeMigration, salvage, restore, rotation, fork
        case fieldsMigration, sealing
        /// Whether it destroys and converts with the keys of a dataset.
        var isOfDataset: Bool { [.fieldsMigration, .sealing].contains(self) }
    }

    private let bound: BoundScratch
    private let fields: KeyringFile
    private var scratch: RotationScratch { bound.scratch }
    private var copy: FilePath { scratch.folder.file("copy.db") }
    private let atOnce = FileLockWait(timeout: .zero)
    private let ended = DispatchSemaphore(value: 0)

    init() throws {
        bound = try BoundScratch()
        fields = KeyringFile(bound.scratch.folder.file("goods.fields.keyring"))
        var keyring = try Keyring.create(.fields)
        try keyring.addSlot("key-file", keyFile())
        try fields.create(keyring)
        let store = try Store.open(scratch.path, rawKey: key())
        try store.blocking.write { connection in
            try connection.run(
                script: """
                    CREATE TABLE part (id INTEGER PRIMARY KEY, name TEXT);
                    INSERT INTO part (name) VALUES ('a'), ('b');
                    """)
        }
        try store.blocking.backup(to: copy)
        try store.blocking.close()
    }

    private func keyFile() throws -> Credential { try KeyFile.read(scratch.folder.file("my.key")) }

    private func key() throws -> DatabaseKey {
        try scratch.keyring().databaseKey(for: scratch.path)
    }

    private func fieldKeys() throws -> FieldKeys {
        try fields.open { _ in try keyFile() }.fieldKeys(named: "goods")
    }

    private func access() throws -> DatabaseAccess {
        try DatabaseAccess(scratch.keyring(), for: scratch.path)
    }

    private func connect() throws -> Connection {
        var options = ConnectionOptions()
        options.fieldKeys = [try fieldKeys()]
        options.mayBeUnsealed = true
        return try Connection.open(scratch.path, key: key(), options: options)
    }

    private static func set(_ script: String = "CREATE TABLE more (x);") throws -> MigrationSet {
        try Scratch.set(Scratch.up(script))
    }

    private func run(_ job: Job, _ progress: (JobProgress) throws -> Void) throws {
        let new = scratch.folder.file("new.db")
        switch job {
        case .backup:
            try Store.open(scratch.path, rawKey: key()).blocking.backup(to: new, progress: progress)
        case .provisioning:
            try Provisioning(new, from: scratch.path)
                .run(key: .ephemeral(), templateKey: key(), progress: progress)
        case .rehearsal:
            _ = try Rehearsal(of: scratch.path, sets: [Self.set()]).run(
                access(), progress: progress)
        case .safeMigration:
            var migration = try SafeMigration(of: scratch.path, sets: [Self.set()])
            migration.timeout = .zero
            try migration.run(access(), progress: progress)
        case .salvage:
            _ = try Salvage(scratch.path, into: new)
                .run(key: key(), newKey: key(), progress: progress)
        case .restore:
            var keyring = try scratch.keyring()
            try Restore(scratch.path, from: copy)
                .run(&keyring, in: scratch.file, progress: progress)
        case .rotation: try scratch.rotate(.routine, progress)
        case .fork:
            var keyring = try scratch.keyring()
            try Fork(of: copy, keyring: scratch.file).run(&keyring)
        case .fieldsMigration:
            _ = try Migrator(Self.set("CREATE TABLE more (x);\nDROP TABLE more;"))
                .run(on: connect(), progress: progress)
        case .sealing:
            let goal = SealingGoal.protect(mode: .random, padding: .none)
            let change = SealingChange(table: "part", column: "name", goal: goal)
            try change.run(on: connect(), keys: fieldKeys(), progress: progress)
        }
    }

    private func file(_ job: Job) -> KeyringFile { job.isOfDataset ? fields : scratch.file }

    /// Destroys a key that does not exist, if it gets that far.
    private func destroy(_ job: Job) throws {
        let kind: KeyKind = job.isOfDataset ? .field : .database
        var keyring = try file(job).open { _ in try keyFile() }
        try KeyDestruction(of: kind, version: 9, keyring: file(job))
            .run(&keyring) { _ in try DatabaseKey.ephemeral() }
    }

    @Test(
        "While it runs, destroying a key waits, and says who runs",
        arguments: Job.allCases.filter { $0 != .fork })
    func beside(_ job: Job) throws {
        var error: LockstepError?
        try run(job) { _ in
            do {
                try atOnce.run { try destroy(job) }
            } catch let refused as LockstepError {
                error = refused
            }
        }
        let refused = try #require(error, "no progress")
        #expect(refused.code == .locked, "\(refused)")
        if FileAccess.exists("/proc/locks") {
            #expect(refused.message.contains("locked by another job of this process"))
        }
        // Nothing of it stays locked.
        Refusal.expect(.keyUnavailable) { try destroy(job) }
    }

    @Test("While a key is destroyed, it does not begin", arguments: Job.allCases)
    func afterwards(_ job: Job) throws {
        let before = try (Bytes.read(scratch.path), scratch.databaseNames)
        do {
            let destruction = try UseLock(file(job).path, .exclusive)
            Refusal.expect(.locked) { try atOnce.run { try run(job) { _ in } } }
            _ = destruction
        }
        #expect(try before == (Bytes.read(scratch.path), scratch.databaseNames))
        try run(job) { _ in }
    }

    @Test("A keyring whose folder is gone keeps nobody out")
    func gone() throws {
        let away = scratch.folder.file("none").appending("data.keyring")
        _ = try UseLock(away)
        Refusal.expect(.notFound) { _ = try UseLock(away, .exclusive) }
    }

    #if DEBUG
    @Test("A thread that takes a lock before which another one comes is noticed")
    func order() throws {
        let other = scratch.folder.file("other.keyring")
        let custody = try CustodyLock(scratch.path)
        Refusal.expect(.misuse) { _ = try UseLock(scratch.file.path) }
        do {
            let write = try KeyringLock(scratch.file.path)
            Refusal.expect(.misuse) { _ = try CustodyLock(copy) }
            let connection = try Connection.open(scratch.path, key: key())
            try connection.write { _ in }
            LockOrder.$hasTransactions.withValue(true) {
                Refusal.expect(.misuse) { try connection.write { _ in } }
            }
            try connection.read { _ in }
            _ = write
        }
        _ = custody
        try LockOrder.$hasTransactions.withValue(true) {
            try Connection.open(scratch.path, key: key()).write { _ in
                Refusal.expect(.misuse) { _ = try KeyringLock(scratch.file.path) }
            }
        }
        let write = try KeyringLock(other)
        Refusal.expect(.misuse) { _ = try UseLock(scratch.file.path) }
        _ = write
    }

    @Test("Taking a shared lock again is no matter of order, and neither are other threads") func again() throws {
        let custody = try CustodyLock(copy)
        let thread = Thread { [scratch, ended] in
            #expect(throws: Never.self) {
                let use = try UseLock(scratch.file.path)
                let custody = try CustodyLock(scratch.path)
                let again = try UseLock(scratch.file.path)
                _ = again
                _ = custody
                _ = use
            }
            ended.signal()
        }
        thread.start()
        ended.wait()
        _ = custody
    }
    #endif
}
