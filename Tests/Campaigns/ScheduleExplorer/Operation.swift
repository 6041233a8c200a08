import Foundation
import Lockstep
import SystemPackage

/// The complete work of a program or command on a database.
enum Operation: String, CaseIterable {
    case write, passive, full, truncate, backup, rotate, seal, migrate, verify, restore, close, recover, renew

    /// The set that the database has, and the same with one more version.
    static let first = set(["0001_first.sql": "CREATE TABLE added_first (a);"])
    private static let second = set([
        "0001_first.sql": "CREATE TABLE added_first (a);",
        "0002_second.sql":
            "CREATE TABLE added_second (a);\nALTER TABLE item ADD COLUMN added INTEGER;",
    ])

    private static func set(_ files: [String: String]) -> MigrationSet {
        let files = files.sorted { $0.key < $1.key }.map { (name: $0.key, content: $0.value) }
        guard let set = try? MigrationSet(name: "explored", files: files) else {
            fatalError("the explorer's own migrations are not sound")
        }
        return set
    }

    /// How it ended.
    enum Outcome: Equatable {
        case done(String)
        case refused(LockstepError.Code, String)

        var isDone: Bool {
            if case .done = self { return true }
            return false
        }

        /// Why it was refused.
        var code: LockstepError.Code? {
            if case .refused(let code, _) = self { return code }
            return nil
        }

        /// One line.
        var text: String {
            switch self {
            case .done(let result): "done \(result)"
            case .refused(let code, let message):
                "refused \(code.rawValue) \(message.split(separator: "\n").joined(separator: " "))"
            }
        }

        init(text: String) {
            let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
            if parts.first == "refused", parts.count == 3 {
                self = .refused(.init(rawValue: String(parts[1])), String(parts[2]))
            } else {
                self = .done(String(text.dropFirst("done ".count)))
            }
        }
    }

    /// The preparation before its schedule begins: the connection that it uses, if it concerns one.
    func prepare(_ ground: Ground) throws -> Prepared {
        switch self {
        case .passive, .full, .truncate, .close:
            let connection = try ground.open()
            _ = try connection.value("SELECT count(*) FROM item", as: Int.self)
            return Prepared(connection)
        default: return Prepared(nil)
        }
    }

    /// A connection that is open, or none.
    struct Prepared: ~Copyable {
        var connection: Connection?
        init(_ connection: consuming Connection?) { self.connection = connection }
    }

    /// Runs it. It writes `side`, which shows which side wrote.
    func run(_ ground: Ground, _ prepared: inout Prepared, side: String) -> Outcome {
        do {
            return .done(try act(ground, &prepared, side))
        } catch let error as LockstepError {
            return .refused(error.code, error.message)
        } catch {
            return .done("foreign error \(error)")
        }
    }

    private func act(_ ground: Ground, _ prepared: inout Prepared, _ side: String) throws -> String {
        switch self {
        case .write: try write(ground.open(), side)
        case .renew:
            // The log is copied, so that the write restarts it.
            let connection = try ground.open()
            _ = try connection.checkpoint(.passive)
            try write(connection, side)
        case .passive: _ = try prepared.connection?.checkpoint(.passive)
        case .full: _ = try prepared.connection?.checkpoint(.full)
        case .truncate: _ = try prepared.connection?.checkpoint(.truncate)
        case .close: prepared.connection = nil
        case .recover:
            _ = try ground.open().value("SELECT count(*) FROM item", as: Int.self)
        case .backup:
            let keyring = try ground.keyring()
            var options = StoreOptions()
            options.connection = ground.options()
            let store = try Store.open(
                ground.database, rawKey: keyring.databaseKey(for: ground.database), options: options)
            let target = side == "A" ? ground.copy : ground.folder.appending("copy-\(side).db")
            try store.blocking.backup(to: target, key: keyring.activeDatabaseKey())
        case .rotate:
            var keyring = try ground.keyring()
            var rotation = DatabaseKeyRotation(of: ground.database, keyring: ground.keyringFile)
            rotation.options = ground.options()
            _ = try rotation.run(&keyring)
        case .seal:
            let fields = try ground.fields()
            var options = ground.options()
            options.fieldKeys = [fields]
            options.mayBeUnsealed = true
            let connection = try ground.open(options)
            try connection.protect("title", of: "film", keys: fields, batch: 9)
        case .migrate:
            let connection = try ground.open()
            _ = try Migrator(Self.second, timeout: .zero).run(on: connection)
        case .verify:
            let report = try Verification(ground.database, sets: [Self.second]).run(keyring: ground.keyring())
            // A concurrent operation can prevent the examination.
            for outcome in report.outcomes where outcome.obstacle?.code == .busy {
                if let obstacle = outcome.obstacle { throw obstacle }
            }
            let failures = report.outcomes.flatMap { outcome in
                outcome.findings.filter(\.isFailure).map {
                    "\(outcome.check.rawValue): \($0.message)"
                }
            }
            return failures.joined(separator: "; ")
        case .restore:
            let keyring = try ground.keyring()
            let key = try keyring.activeDatabaseKey()
            try Restore(ground.database, from: ground.backup).run(
                key: key, backupKey: keyring.databaseKey(ofBackup: ground.backup))
        }
        return ""
    }

    private func write(_ connection: borrowing Connection, _ side: String) throws {
        try connection.write { connection in
            try connection.execute("UPDATE item SET v = v || ? WHERE id <= 4", side)
            try connection.execute("INSERT INTO item (v, pad) VALUES (?, x'')", side)
        }
    }
}
