import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Stores that only read.
@Suite("Stores that are opened to be read only")
struct ReadOnlyOpeningTests {
    let scratch: OpeningScratch

    init() throws {
        scratch = try OpeningScratch()
        try scratch.fill(2)
    }

    /// Leaves the database with commits in its log, as a program that was killed does.
    private func leaveLog() throws {
        let aside = try TemporaryFolder()
        let store = try scratch.open(2)
        try store.blocking.write { try $0.execute("INSERT INTO person (name) VALUES ('Last')") }
        for name in ["films.db", "films.db-wal"] {
            try Bytes.write(Bytes.read(scratch.folder.file(name)), to: aside.file(name))
        }
        try store.blocking.close()
        for name in ["films.db", "films.db-wal"] {
            try Bytes.write(Bytes.read(aside.file(name)), to: scratch.folder.file(name))
        }
    }

    @Test("Reading leaves every file as it is", arguments: [OpeningMode.readOnly, .immutable])
    func untouched(mode: OpeningMode) async throws {
        let before = try scratch.files()
        #expect(try scratch.rows(2, mode: mode) == OpeningScratch.filled)
        #expect(try scratch.files() == before)
        let store = try scratch.open(2, mode: mode)
        if mode == .immutable { #expect(try scratch.files() == before) }
        let counts = try await withThrowingTaskGroup(of: Int?.self) { group in
            for _ in 1...8 {
                group.addTask {
                    try await store.read { try $0.value("SELECT count(*) FROM film", as: Int.self) }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == [5, 5, 5, 5, 5, 5, 5, 5])
        try await store.close()
        #expect(try scratch.files() == before)
    }

    @Test(
        "Whatever writes is refused, awaited or not", arguments: [OpeningMode.readOnly, .immutable])
    func writing(mode: OpeningMode) async throws {
        let before = try scratch.files()
        let store = try scratch.open(2, mode: mode)
        Refusal.expect(.readOnly) { try store.blocking.write { _ in } }
        Refusal.expect(.readOnly) { try store.blocking.withoutTransaction { _ in } }
        Refusal.expect(.readOnly) { try store.blocking.migrate(scratch.set(2)) }
        let error = await #expect(throws: LockstepError.self) {
            try await store.write { try $0.execute("DELETE FROM film") }
        }
        #expect(error?.code == .readOnly)
        #expect(throws: LockstepError.self) {
            try store.blocking.read { try $0.execute("DELETE FROM film") }
        }
        try await store.close()
        #expect(try scratch.files() == before)
    }

    @Test(
        "Pending migrations are reported and not run",
        arguments: [OpeningMode.readOnly, .immutable])
    func pending(mode: OpeningMode) throws {
        let before = try scratch.files()
        let store = try scratch.open(3, mode: mode)
        let plan = try #require(store.opening?.pending["films"])
        #expect(plan.steps.map(\.version) == [MigrationVersion(3)])
        #expect(try store.blocking.read { try $0.value("SELECT count(*) FROM person") } == 5)
        try store.blocking.close()
        #expect(try scratch.files() == before)
        #expect(try scratch.open(2, mode: mode).opening?.pending.isEmpty == true)
    }

    @Test("The commits in a log are read, and stay there")
    func log() throws {
        try leaveLog()
        let before = try scratch.files()
        #expect(try scratch.rows(2, mode: .readOnly).last == "Last")
        let after = try scratch.files()
        #expect(after["films.db"] == before["films.db"])
        #expect(after["films.db-wal"] == before["films.db-wal"])
    }

    @Test("What another program commits meanwhile is read, and left in the log")
    func otherWriter() throws {
        let reading = try scratch.open(2, mode: .readOnly)
        let count: () throws -> Int? = {
            try reading.blocking.read { try $0.value("SELECT count(*) FROM person", as: Int.self) }
        }
        #expect(try count() == 5)
        let writing = try scratch.open(2)
        try writing.blocking.write { try $0.execute("INSERT INTO person (name) VALUES ('New')") }
        #expect(try count() == 6)
        try writing.blocking.close()
        let database = try Bytes.read(scratch.path)
        #expect(try count() == 6)
        try reading.blocking.close()
        #expect(try Bytes.read(scratch.path) == database)
    }

    @Test("An immutable opening beside a log with commits is refused, and beside an empty one is not")
    func immutableLog() throws {
        try leaveLog()
        let before = try scratch.files()
        let error = Refusal.error(.misuse) { _ = try scratch.open(2, mode: .immutable) }
        #expect(error?.hint?.contains("`.readOnly`") == true)
        #expect(try scratch.files() == before)
        try scratch.open(2).blocking.close()
        try scratch.folder.write("films.db-wal", [])
        #expect(try scratch.rows(2, mode: .immutable).last == "Last")
    }

    @Test("A file's name is no parameter of the opening")
    func names() throws {
        for name in ["a?mode=memory.db", "b%2F.db", "c#d.db", "e f&cache=shared.db", "ü.db"] {
            let path = scratch.folder.file(name)
            let store = try Store.openBlocking(path, key: scratch.key)
            try store.blocking.write { try $0.execute("CREATE TABLE t (a)") }
            try store.blocking.close()
            let reading = try Store.openBlocking(path, key: scratch.key, mode: .immutable)
            #expect(try reading.blocking.read { try $0.value("SELECT count(*) FROM t") } == 0, "\(name)")
        }
    }

    @Test("A file that changes while it is read as immutable is an error")
    func changed() throws {
        let reading = try scratch.open(2, mode: .immutable)
        func count() throws -> Int? {
            try reading.blocking.read { try $0.value("SELECT count(*) FROM person") }
        }
        #expect(try count() == 5)
        let writing = try scratch.open(2)
        try writing.blocking.write { try $0.execute("INSERT INTO person (name) VALUES ('New')") }
        // In the log it harms nobody.
        #expect(try count() == 5)
        try writing.blocking.close()
        Refusal.expect(.busy) { _ = try count() }
        #expect(try scratch.rows(2, mode: .immutable).last == "New")
    }

    @Test("The option makes every opening one that only reads")
    func option() throws {
        let before = try scratch.files()
        var options = StoreOptions()
        options.isReadOnly = true
        let store = try Store.openBlocking(
            scratch.path, key: scratch.key, migrations: scratch.set(2), sealed: Dataset("films"), options: options)
        Refusal.expect(.readOnly) {
            try store.blocking.write { try $0.execute("DELETE FROM person") }
        }
        try store.blocking.close()
        #expect(try scratch.files() == before)
        let absent = scratch.folder.file("absent.db")
        Refusal.expect(.notFound) {
            _ = try Store.openBlocking(absent, key: scratch.key, options: options)
        }
        #expect(try scratch.files() == before)
    }

    @Test(
        "Read-only media are read in both modes",
        .enabled(if: SmallDisk.isPossible, SmallDisk.missing))
    func media() throws {
        let disk = try SmallDisk(megabytes: 8)
        defer { disk.unmount() }
        for name in ["films.db", "films.db.keys"] {
            try FileManager.default.copyItem(
                atPath: scratch.folder.file(name).string,
                toPath: disk.path.appending(name).string)
        }
        try disk.makeReadOnly()
        for mode in [OpeningMode.readOnly, .immutable] {
            let store = try Store.openBlocking(
                disk.path.appending("films.db"), key: scratch.key, migrations: scratch.set(2),
                sealed: Dataset("films"), mode: mode)
            #expect(try store.blocking.read { try $0.value("SELECT count(*) FROM film_open") } == 5)
            try store.blocking.close()
        }
    }

    @Test(
        "On read-only media a log with commits is refused, and the error says what to do",
        .enabled(if: SmallDisk.isPossible, SmallDisk.missing))
    func mediaWithLog() throws {
        try leaveLog()
        let disk = try SmallDisk(megabytes: 8)
        defer { disk.unmount() }
        for name in ["films.db", "films.db-wal", "films.db.keys"] {
            try FileManager.default.copyItem(
                atPath: scratch.folder.file(name).string,
                toPath: disk.path.appending(name).string)
        }
        try disk.makeReadOnly()
        let error = Refusal.error(.accessDenied) {
            _ = try Store.openBlocking(
                disk.path.appending("films.db"), key: scratch.key, sealed: Dataset("films"), mode: .readOnly)
        }
        #expect(error?.message.contains("films.db-wal") == true)
        #expect(error?.hint?.contains("copy both files") == true)
    }
}
