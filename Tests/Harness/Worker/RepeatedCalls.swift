import Foundation
import HeapUse
import Lockstep
import SystemPackage

/// `repeated-calls FOLDER COUNT`: makes each kind of call of a store COUNT times, and then nine times as often. For
/// each it prints its name, and the bytes in use after the first part and at the end. The last line says how many of
/// the sealed values that were written still lie in the process's memory.
enum RepeatedCalls {
    /// A record with all that has a coder of its own: an optional, an enum, an array and a nested value.
    struct Item: Record, Equatable {
        enum Kind: String, Codable { case plain, rare }
        struct Place: Codable, Equatable {
            var shelf: Int
            var box: String
        }

        var id: Int64?
        var name: String
        var kind: Kind
        var note: String?
        var tags: [String]
        var place: Place
    }

    private static let schema = """
        -- lockstep: up
        CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, note TEXT,
            tags TEXT NOT NULL, place TEXT NOT NULL);
        CREATE TABLE blob (id INTEGER PRIMARY KEY, body BLOB);
        INSERT INTO blob VALUES (1, zeroblob(5000));
        -- lockstep: protect item.note dataset=notes index=exact
        """

    private typealias Call = @Sendable (Store, Int) async throws -> Void

    private static func item(_ number: Int, id: Int64? = nil) -> Item {
        Item(
            id: id, name: id == nil ? "item \(number)" : "kept \(number)",
            kind: number.isMultiple(of: 2) ? .plain : .rare, note: secret(number),
            tags: ["a", "b\(number)"], place: .init(shelf: number, box: "x"))
    }

    /// A value that is made when it is needed, so that the process has no copy of its own to find.
    private static func secret(_ number: Int) -> String {
        String(decoding: pattern.map { $0 &+ 1 }, as: UTF8.self) + "\(number) "
    }

    /// Each byte of the beginning of a sealed value, less one.
    private static let pattern = Array("rd`kdc,mnsd,".utf8)

    private static let calls: [(String, Call)] = [
        (
            "read",
            { store, number in
                _ = try await store.read {
                    try $0.value("SELECT count(*) FROM item WHERE id > \(number)", as: Int.self)
                }
            }
        ),
        (
            "write",
            { store, number in
                try await store.write { try $0.execute("UPDATE blob SET body = zeroblob(100) WHERE id = ?", number) }
            }
        ),
        (
            "insert and delete",
            { store, number in
                let made = try await store.insert(item(number))
                _ = try await store.delete(made)
            }
        ),
        (
            "insert of many",
            { store, number in
                try await store.insert(all: [item(number), item(number + 1)])
                _ = try await store.delete(Item.self, where: { $0.id > 50 })
            }
        ),
        ("save", { store, number in _ = try await store.save(item(number, id: 7)) }),
        ("update", { store, number in try await store.update(item(number, id: 7)) }),
        (
            "updateChanges",
            { store, number in
                let before = try await store.find(Item.self, Int64(7))
                if let before { _ = try await store.updateChanges(item(number, id: 7), from: before) }
            }
        ),
        ("upsert", { store, number in try await store.upsert(item(number, id: 7)) }),
        ("insertIfNew", { store, _ in _ = try await store.insertIfNew(item(1_000_000), on: \.name) }),
        ("find", { store, _ in _ = try await store.find(Item.self, Int64(7)) }),
        (
            "conditions",
            { store, number in
                _ = try await store.all(
                    Item.self, where: { $0.kind == .rare && $0.note != nil && $0.name.hasPrefix("item \(number)") },
                    orderBy: { [$0.id.descending] }, limit: 3, offset: 1)
            }
        ),
        (
            "condition on an optional",
            { store, number in
                _ = try await store.count(Item.self, where: { $0.note == secret(number) })
            }
        ),
        (
            "set(to:)",
            { store, number in
                _ = try await store.update(
                    Item.self, set: { [$0.kind.set(to: .rare), $0.note.set(to: secret(number))] }, where: { $0.id == 7 }
                )
            }
        ),
        ("pages", { store, _ in _ = try await store.page(Item.self, orderBy: { [$0.name.ascending] }, limit: 2) }),
        (
            "Decodable",
            { store, _ in
                _ = try await store.read { try $0.decode(Item.Place.self, "SELECT 1 AS shelf, 'a' AS box") }
            }
        ),
        (
            "chunks",
            { store, _ in
                for try await _ in store.chunks(of: BlobPlace(table: "blob", column: "body", row: 1), size: 1000) {}
            }
        ),
        (
            "insertBlob",
            { store, _ in
                let row = try await store.insertBlob(into: "blob", "body", from: OneChunk()) { db in
                    try db.execute("INSERT INTO blob (body) VALUES (zeroblob(3000))")
                    return db.lastInsertedRowID
                }
                try await store.write { try $0.execute("DELETE FROM blob WHERE id = ?", row) }
            }
        ),
        (
            "observe",
            { store, _ in
                for try await _ in store.observe({ try $0.value("SELECT count(*) FROM blob", as: Int.self) }) { break }
            }
        ),
        (
            "a refused call",
            { store, number in
                do {
                    try await store.write { try $0.execute("INSERT INTO nowhere VALUES (\(number))") }
                } catch is LockstepError {}
            }
        ),
        (
            "a text that no one asked before",
            { store, number in
                _ = try await store.read { try $0.value(SQL(verbatim: "SELECT \(number)"), as: Int.self) }
            }
        ),
    ]

    private struct OneChunk: AsyncSequence, AsyncIteratorProtocol, Sendable {
        var isLeft = true
        func makeAsyncIterator() -> OneChunk { self }
        mutating func next() async throws -> [UInt8]? {
            defer { isLeft = false }
            return isLeft ? [UInt8](repeating: 7, count: 3000) : nil
        }
    }

    static func run(_ arguments: [String]) async {
        do {
            let folder = FilePath(arguments[0])
            guard let count = Int(arguments[1]) else { exit(64) }
            try await measure(folder, count)
            print("found \(try secretsInMemory()) sealed values")
        } catch {
            print("failed: \(error)")
            exit(1)
        }
    }

    private static func measure(_ folder: FilePath, _ count: Int) async throws {
        var options = StoreOptions()
        // Pages of a small cache are there before the first part ends.
        options.connection.cacheBytes = 256 * 1024
        let store = try await Store.open(
            folder.appending("items.db"), key: .keyFile(folder.appending("my.key")),
            migrations: MigrationSet(name: "items", files: [("0001_item.sql", schema)]),
            sealed: Dataset("notes"), records: Item.self, options: options)
        for number in 1...50 { _ = try await store.insert(item(2_000_000 + number, id: Int64(number))) }
        // What is made once, such as threads, connections and prepared statements, is there after this.
        for (_, call) in calls {
            for number in 0..<(count / 2) { try await call(store, number) }
        }
        for (name, call) in calls {
            for number in 0..<count { try await call(store, number) }
            let before = lockstep_heap_use()
            for number in 0..<(9 * count) { try await call(store, number) }
            print("\(name)\t\(before)\t\(lockstep_heap_use())")
        }
        try await store.close()
    }

    /// How many different sealed values the writable memory of this process contains.
    private static func secretsInMemory() throws -> Int {
        let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
        let memory = try FileDescriptor.open("/proc/self/mem", .readOnly)
        defer { try? memory.close() }
        var found: Set<[UInt8]> = []
        for line in maps.split(separator: "\n") {
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            let ends = fields[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            guard fields[1].hasPrefix("rw"), ends.count == 2 else { continue }
            var bytes = [UInt8](repeating: 0, count: Int(ends[1] - ends[0]))
            let read =
                (try? bytes.withUnsafeMutableBytes { try memory.read(fromAbsoluteOffset: Int64(ends[0]), into: $0) })
                ?? 0
            collect(bytes[..<read], &found)
        }
        return found.count
    }

    private static func collect(_ bytes: ArraySlice<UInt8>, _ found: inout Set<[UInt8]>) {
        let beginning = pattern.map { $0 &+ 1 }
        bytes.withUnsafeBytes { all in
            guard let first = all.baseAddress else { return }
            var start = 0
            while true {
                let place = Int(
                    lockstep_find(first + start, Int64(all.count - start), beginning, Int64(beginning.count)))
                guard place >= 0 else { return }
                start += place + beginning.count
                found.insert(Array(all[start...].prefix(28).prefix { $0 >= 48 && $0 < 58 }))
            }
        }
    }
}
