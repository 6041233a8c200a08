import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A table with a column that is sealed, unsealed or resealed while others write to it, and what they were promised.
final class SealingSchedule: Sendable {
    enum Goal: String, CaseIterable, Sendable {
        case protect, unprotect, reseal
    }

    /// How the table identifies a row.
    enum Key: String, CaseIterable, Sendable {
        case row = "id INTEGER PRIMARY KEY, a TEXT)"
        case text = "id TEXT NOT NULL PRIMARY KEY COLLATE NOCASE, a TEXT)"
        case withoutRowID = "id TEXT NOT NULL PRIMARY KEY, a TEXT) WITHOUT ROWID"
    }

    let goal: Goal
    let key: Key
    let mode: SealedColumn.Mode
    let rows: Int
    let folder: TemporaryFolder
    /// The keys of the change.
    let keys: FieldKeys
    /// The keys of a program that was opened before the active key became that.
    let olderKeys: FieldKeys

    // Not a Mutex: the thread sanitizer does not know it for a lock.
    private let lock = NSLock()
    // Safe by this proof: touched only while the lock is held.
    nonisolated(unsafe) private var promised: [Int: String?] = [:]

    /// - Parameter filling: What follows each value.
    init(
        _ goal: Goal, _ key: Key = .row, mode: SealedColumn.Mode = .random, rows: Int = 40,
        filling: String = ""
    ) throws {
        (self.goal, self.key, self.mode, self.rows) = (goal, key, mode, rows)
        folder = try TemporaryFolder()
        olderKeys = try CellWorkbench.keys(active: 3, retired: [4], named: "test")
        keys = goal == .reseal ? try CellWorkbench.keys(active: 4, retired: [3], named: "test") : olderKeys
        let connection = try Connection.create(path, key: Self.databaseKey())
        try connection.run(script: "CREATE TABLE item (\(key.rawValue);")
        try connection.write { connection in
            for row in 1...rows {
                let value = row.isMultiple(of: 9) ? nil : "value \(row % 50)\(filling)"
                try connection.execute("INSERT INTO item VALUES (?, ?)", id(row), value)
                promised[row] = .some(value)
            }
        }
        guard goal != .protect else { return }
        try open(olderKeys).protect("a", of: "item", keys: olderKeys, mode: mode, indexes: indexes)
    }

    private var path: FilePath { folder.path.appending("data.db") }

    private static func databaseKey() throws -> DatabaseKey {
        try DatabaseKey(
            secret: SecretBytes(copying: [UInt8](repeating: 7, count: 32).span), salt: [UInt8](repeating: 5, count: 16))
    }

    func open(_ keys: FieldKeys) throws -> Connection {
        var options = ConnectionOptions()
        options.fieldKeys = [keys]
        options.mayBeUnsealed = true
        return try Connection.open(path, key: Self.databaseKey(), options: options)
    }

    private var indexes: [SealedIndex.Request] { [.init(.exact)] }

    /// A row's key as the table stores it.
    private func id(_ row: Int) -> Value {
        key == .row ? .integer(Int64(row)) : .text("Key \(row + 1_000_000)")
    }

    // MARK: The change

    /// Runs the change, and again while it says that others are in its way.
    @discardableResult
    func run(
        on connection: borrowing Connection, batch: Int = 7, progress: JobProgress.Handler = { _ in }
    ) throws -> SealingReport {
        let goal: SealingGoal =
            switch goal {
            case .protect: .protect(mode: mode, padding: .none, indexes: indexes)
            case .unprotect: .unprotect
            case .reseal: .reseal
            }
        let change = SealingChange(table: "item", column: "a", goal: goal, batch: batch)
        while true {
            do {
                return try change.run(on: connection, keys: keys, progress: progress)
            } catch let error as LockstepError where error.code == .busy {}
        }
    }

    // MARK: Others

    /// A change of one row by a program.
    enum Step: Sendable {
        case update(Int, String?)
        case insert(Int, String?)
        case remove(Int)
        /// An update that leaves the value as it is.
        case keep(Int)
        case move(Int, to: Int)
    }

    /// Makes changes in one transaction, and remembers them once they are committed. A row that is not there is not
    /// changed.
    func write(_ steps: [Step], on connection: borrowing Connection) throws {
        try lock.withLock {
            var after = promised
            try connection.write { connection in
                after = promised
                let item = try connection.readable("item")
                for step in steps { try write(step, item, &after, connection) }
            }
            promised = after
        }
    }

    private func write(
        _ step: Step, _ item: SQL, _ after: inout [Int: String?], _ connection: borrowing Connection
    ) throws {
        switch step {
        case .update(let row, let value):
            guard after[row] != nil else { return }
            try connection.execute("UPDATE \(item) SET a = ? WHERE id = ?", value, id(row))
            after[row] = .some(value)
        case .insert(let row, let value):
            guard after[row] == nil else { return }
            try connection.execute("INSERT INTO \(item) (id, a) VALUES (?, ?)", id(row), value)
            after[row] = .some(value)
        case .remove(let row):
            guard after[row] != nil else { return }
            try connection.execute("DELETE FROM \(item) WHERE id = ?", id(row))
            after[row] = nil
        case .keep(let row):
            try connection.execute("UPDATE \(item) SET a = a WHERE id = ?", id(row))
        case .move(let row, let other):
            guard let value = after[row], after[other] == nil else { return }
            try connection.execute(
                "UPDATE \(item) SET id = ? WHERE id = ?", id(other), id(row))
            after[row] = nil
            after[other] = .some(value)
        }
    }

    /// Changes of rows anywhere.
    func steps(_ source: inout SplitMix64, _ name: String) -> [Step] {
        (0..<Int.random(in: 1...6, using: &source)).map { number in
            let row = Int.random(in: 1...(rows + 5), using: &source)
            let value = "\(name), \(number)"
            return switch Int.random(in: 0..<10, using: &source) {
            case 0: .remove(row)
            case 1: .insert(row, value)
            case 2: .insert(rows + Int.random(in: 1...500, using: &source), value)
            case 3: .move(row, to: Int.random(in: 1...(rows + 500), using: &source))
            case 4: .update(row, nil)
            case 5: .keep(row)
            default: .update(row, value)
            }
        }
    }

    // MARK: What must hold

    /// How many rows have another value than the one that was promised.
    func lost() throws -> Int {
        let connection = try open(keys)
        let item = try connection.readable("item")
        let stored = try connection.query("SELECT id, a FROM \(item)") { row in
            (try row[0] as Value, try row[1] as String?)
        }
        let found = Dictionary(stored, uniquingKeysWith: { $1 })
        var wrong = stored.count
        for (row, value) in promised {
            let isThere = found[id(row)].map { $0 == value } ?? false
            wrong += isThere ? -1 : 1
        }
        return wrong
    }

    /// Checks that the change is complete, that no promise is broken, and that look-ups find what they must.
    func expectDone(_ context: Comment, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try lost() == 0, context, sourceLocation: sourceLocation)
        let connection = try open(keys)
        let registry = try RegistryTables.read(keys, connection)
        let column = try #require(registry?.column("a", of: "item"))
        #expect(column.cursor == nil, context, sourceLocation: sourceLocation)
        let cells = try connection.value("SELECT count(*) FROM item WHERE typeof(a) = 'blob'", as: Int.self)
        let values = promised.values.count { $0 != nil }
        guard goal != .unprotect else {
            #expect(column.state == .plaintext, context, sourceLocation: sourceLocation)
            #expect(cells == 0, context, sourceLocation: sourceLocation)
            return
        }
        #expect(column.state == .sealed, context, sourceLocation: sourceLocation)
        #expect(cells == values, context, sourceLocation: sourceLocation)
        let old = try connection.columns(under: .field, 3, keys)
        #expect(old == (goal == .reseal ? [] : ["item.a"]), context, sourceLocation: sourceLocation)
        let tokens = try connection.value(
            """
            SELECT count(*) FROM item WHERE (a IS NULL) <> (a_exact_token IS NULL)
            """, as: Int.self)
        #expect(tokens == 0, context, sourceLocation: sourceLocation)
        for value in Set(promised.values.compactMap(\.self)).sorted().prefix(12) {
            let match = try connection.matching("a", of: "item", .equal(.text(value)))
            let found = try connection.value("SELECT count(*) FROM item_open WHERE \(match)", as: Int.self)
            let expected = promised.values.count { $0 == value }
            #expect(found == expected, "\(value), \(context)", sourceLocation: sourceLocation)
        }
    }
}
