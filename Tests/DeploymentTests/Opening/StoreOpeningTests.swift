import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Opening a store with its keyring")
struct StoreOpeningTests {
    let scratch: OpeningScratch

    init() throws { scratch = try OpeningScratch() }

    private var names: Set<String> {
        get throws {
            Set(
                try scratch.files().keys.filter {
                    !$0.hasPrefix("1") && !$0.hasPrefix("2") && !$0.hasPrefix("3")
                })
        }
    }

    @Test(
        "The first opening makes key file, keyring and database, and migrates; the second opens them"
    )
    func made() async throws {
        let first = try await Store.open(
            scratch.path, key: scratch.key, migrations: scratch.set(1))
        let report = try #require(first.opening)
        #expect(report.isNew && report.migrations.steps.count == 1 && report.notices == [])
        try await first.write { try $0.execute("INSERT INTO person (name) VALUES ('Ada')") }
        try await first.close()
        #expect(try names == ["my.key", "films.db", "films.db.keys/database.keyring"])
        let attributes = try FileManager.default.attributesOfItem(
            atPath: scratch.keyring.path.removingLastComponent().string)
        #expect(attributes[.posixPermissions] as? Int == 0o700)

        let second = try await Store.open(scratch.path, key: scratch.key, migrations: scratch.set(1))
        #expect(second.opening?.isNew == false)
        #expect(second.opening?.migrations.steps.isEmpty == true)
        let count = try await second.read {
            try $0.value("SELECT count(*) FROM person", as: Int.self)
        }
        #expect(count == 1)
        #expect(try scratch.keyring.summary().databases.map(\.isMade) == [true])
    }

    @Test("A store that was opened with a key alone has no report")
    func noReport() throws {
        #expect(try Store.inMemory().opening == nil)
    }

    @Test("A program that opens often writes nothing but what its migrations write")
    func quiet() throws {
        try scratch.open(3).blocking.close()
        let before = try scratch.files()
        try scratch.open(3).blocking.close()
        let after = try scratch.files()
        for name in before.keys where name.hasSuffix(".keyring") {
            #expect(after[name] == before[name], "\(name)")
        }
        #expect(Set(after.keys) == Set(before.keys))
    }

    @Test("A folder that others may write to does not matter: the keyrings have one of their own")
    func sharedFolder() throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: scratch.folder.path.string)
        try scratch.open(2).blocking.close()
        try scratch.open(2).blocking.close()
    }

    @Test(
        "A keyring that serves no database yet gets the new one; one that serves others only in the mode `new`"
    )
    func namedKeyring() throws {
        let file = KeyringFile(scratch.folder.file("shared.keyring"))
        try KeyFile.create(scratch.folder.file("my.key"))
        var keyring = try Keyring.create(.database)
        try keyring.addSlot("key-file", KeyFile.read(scratch.folder.file("my.key")))
        try file.create(keyring)
        try Store.openBlocking(scratch.path, key: scratch.key, keyring: file).blocking.close()
        let other = scratch.folder.file("other.db")
        Refusal.expect(.databaseMissing) {
            _ = try Store.openBlocking(other, key: scratch.key, keyring: file)
        }
        try Store.openBlocking(other, key: scratch.key, keyring: file, mode: .new).blocking.close()
        try Store.openBlocking(other, key: scratch.key, keyring: file, mode: .existing).blocking.close()
        try Store.openBlocking(scratch.path, key: scratch.key, keyring: file).blocking.close()
        #expect(try file.summary().databases.count == 2)
        #expect(!FileAccess.exists(scratch.keyring.path))
    }

    @Test("A rotation of the key that was interrupted keeps nobody out")
    func interruptedRotation() throws {
        try scratch.fill(2)
        var keyring = try scratch.keyring.open { _ in
            try KeyFile.read(scratch.folder.file("my.key"))
        }
        // The file has the new key, and the keyring does not say so yet.
        let pending = try keyring.nextDatabaseKey(isFresh: false)
        try scratch.keyring.save(&keyring)
        let change = try KeyChange.begin(scratch.path, key: keyring.databaseKey(for: scratch.path))
        try change.replace(
            with: change.copy(
                from: keyring.databaseKey(for: scratch.path),
                to: keyring.databaseKey(version: pending)
            ) { _ in })
        #expect(try scratch.rows(2) == OpeningScratch.filled)
        try DatabaseKeyRotation(of: scratch.path, keyring: scratch.keyring).run(&keyring)
        #expect(try scratch.rows(2) == OpeningScratch.filled)
    }

    @Test("A keyring that somebody changed meanwhile is recorded, and readers that open later go on")
    func changedKeyring() async throws {
        try await scratch.open(1).close()
        let store = try scratch.open(1)
        var keyring = try scratch.keyring.open { _ in
            try KeyFile.read(scratch.folder.file("my.key"))
        }
        try keyring.addSlot("other", .passphrase(Passphrase("open sesame".utf8Span.span)))
        try scratch.keyring.save(&keyring)
        // Another program starts, which raises what the database records.
        try await scratch.open(1).close()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...4 {
                group.addTask {
                    try await store.read { db in
                        try #require(try db.value("SELECT count(*) FROM film", as: Int.self) == 0)
                    }
                }
            }
            try await group.waitForAll()
        }
        let readers = try (0..<4).map { _ in try #require(store.readers).take() }
        for reader in readers { try reader.use { _ in } }
        for reader in readers { store.readers?.giveBack(reader) }
        try await store.close()
    }

    @Test("Two programs that start at once make one database, and both use it", arguments: [1, 3])
    func together(release: Int) async throws {
        let folder = scratch.folder.path
        let runs = try await withThrowingTaskGroup(of: FaultyWorker.Run.self) { group in
            for _ in 1...4 {
                group.addTask { try await FaultyWorker.run("opens", "\(release)", in: folder) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(runs.map(\.outcome) == Array(repeating: .succeeded, count: 4), "\(runs.map(\.reported))")
        #expect(try scratch.keyring.summary().databases.map(\.isMade) == [true])
        #expect(try scratch.rows(release) == [])
    }

    @Test(
        "A record of the program's options is kept, and the columns that they rely on are checked after migrating"
    )
    func relied() throws {
        var options = StoreOptions()
        options.sealed = ["film.title"]
        try scratch.open(1).blocking.close()
        try scratch.open(2, options: options).blocking.close()
        options.sealed = ["film.title", "person.name"]
        try scratch.open(3, options: options).blocking.close()
        options.sealed = ["film.year"]
        Refusal.expect(.registryMissing) { _ = try scratch.open(3, options: options) }
        Refusal.expect(.registryMissing) {
            _ = try Store.openBlocking(
                scratch.path, key: scratch.key, migrations: scratch.set(3),
                sealed: Dataset("films", columns: ["film.year"]), Dataset("people"))
        }
    }

    @Test(
        "Records are compared with the migrated schema, and sealed columns count as what they hold")
    func records() async throws {
        let store = try await Store.open(
            scratch.path, key: scratch.key, migrations: scratch.set(2), sealed: Dataset("films"),
            records: Film.self, Person.self)
        let film = try await store.insert(Film(title: "Metropolis", year: 1927))
        #expect(film.id == 1)
        try await store.close()
        let error = await #expect(throws: LockstepError.self) {
            try await Store.open(
                scratch.path, key: scratch.key, migrations: scratch.set(2),
                sealed: Dataset("films"), records: Film.self, Misfit.self)
        }
        #expect(error?.code == .recordMisfit)
        #expect(error?.message.contains("yeer") == true && error?.message.contains("title") == true)
        // A release that only reads an older database reports what is pending instead.
        let reading = try await Store.open(
            scratch.path, key: scratch.key, migrations: scratch.set(3), sealed: Dataset("films"),
            records: Misfit.self, mode: .readOnly)
        #expect(reading.opening?.pending.keys.sorted() == ["films"])
    }

    @Test("Stores that are opened again and again have no more than one keyring and one database")
    func released() async throws {
        for _ in 0..<3 {
            weak var gone: Store?
            do {
                let store = try await Store.open(scratch.path, key: scratch.key)
                gone = store
                #expect(try await store.read { try $0.value("SELECT 1", as: Int.self) } == 1)
            }
            #expect(gone == nil)
        }
        #expect(try scratch.keyring.summary().databases.count == 1)
    }

    private struct Film: Record {
        var id: Int64?
        var title: String
        var year: Int
    }

    private struct Person: Record {
        var id: Int64?
        var name: String
    }

    private struct Misfit: Record {
        static let table = "film"
        var id: Int64?
        var title: String?
        var yeer: Int
    }
}
