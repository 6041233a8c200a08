import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// What an opening refuses, before it makes anything.
@Suite("Refused openings")
struct OpeningRefusalTests {
    let scratch: OpeningScratch

    init() throws { scratch = try OpeningScratch() }

    private var path: FilePath { scratch.path }

    /// Expects a refusal that changes no file, and whose hint speaks of the library.
    @discardableResult
    private func refused(
        _ code: LockstepError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
    ) throws -> LockstepError? {
        let before = try scratch.files()
        let error = Refusal.error(code, sourceLocation: sourceLocation, body)
        #expect(try scratch.files() == before, sourceLocation: sourceLocation)
        let text = "\(error?.message ?? "") \(error?.hint ?? "")"
        #expect(!text.contains("--") && !text.contains("lockstep "), sourceLocation: sourceLocation)
        return error
    }

    private func remove(_ file: FilePath) throws {
        try FileManager.default.removeItem(atPath: file.string)
    }

    @Test("A database without its keyring, and a keyring without its database")
    func halves() throws {
        try scratch.fill(2)
        let kept = try Bytes.read(path)
        try remove(path)
        for mode in [OpeningMode.openOrCreate, .existing, .readOnly, .immutable] {
            try refused(.databaseMissing) { _ = try scratch.open(2, mode: mode) }
        }
        try Bytes.write(kept, to: path)
        #expect(try scratch.rows(2) == OpeningScratch.filled)

        let aside = scratch.folder.file("aside")
        let fields = try KeyringFile.fields(of: "films", beside: path).path
        for keyring in [scratch.keyring.path, fields] {
            try FileManager.default.moveItem(atPath: keyring.string, toPath: aside.string)
            for mode in [OpeningMode.openOrCreate, .existing, .readOnly, .immutable] {
                try refused(.keyringMissing) { _ = try scratch.open(2, mode: mode) }
            }
            try FileManager.default.moveItem(atPath: aside.string, toPath: keyring.string)
        }
        #expect(try scratch.rows(2) == OpeningScratch.filled)
    }

    @Test("A fields keyring that remembers a database, without that and its keyring") func fieldsAlone() throws {
        try scratch.fill(2)
        try remove(path)
        try remove(scratch.keyring.path)
        try refused(.databaseMissing) { _ = try scratch.open(2) }
    }

    @Test("Nothing at all, unless it may be made; something already, if it is to be new") func modes() throws {
        for mode in [OpeningMode.existing, .readOnly, .immutable] {
            try refused(.notFound) { _ = try scratch.open(1, mode: mode) }
        }
        try scratch.open(1, mode: .new).blocking.close()
        try refused(.alreadyExists) { _ = try scratch.open(1, mode: .new) }
        try scratch.open(1, mode: .existing).blocking.close()
    }

    @Test("A file that is no encrypted database")
    func otherFile() throws {
        try scratch.folder.write("films.db", PlaintextDatabase.bytes)
        try refused(.plaintextDatabase) { _ = try scratch.open(1) }
    }

    @Test("What is left beside a path of another database")
    func leftLog() throws {
        try scratch.folder.write("films.db-wal", "commits")
        try refused(.alreadyExists) { _ = try scratch.open(1) }
    }

    @Test("A folder that does not exist, or is none")
    func noFolder() throws {
        for place in ["none/films.db", "my.txt/films.db"] {
            try scratch.folder.write("my.txt", "text")
            let path = scratch.folder.file(place)
            let before = try scratch.files()
            #expect(throws: LockstepError.self) {
                try Store.openBlocking(path, key: scratch.key)
            }
            #expect(try scratch.files() == before)
        }
    }

    @Test("A folder of keyrings that others may write to")
    func openKeyringFolder() throws {
        let folder = scratch.keyring.path.removingLastComponent()
        try FileManager.default.createDirectory(
            atPath: folder.string, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o770])
        // Whatever the umask is.
        try FileManager.default.setAttributes([.posixPermissions: 0o770], ofItemAtPath: folder.string)
        try refused(.permissionsTooOpen) { _ = try scratch.open(1) }
        let shared = KeyringFile(folder.appending("shared.keyring"))
        try refused(.permissionsTooOpen) {
            _ = try Store.openBlocking(path, key: scratch.key, keyring: shared)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.string)
        try scratch.open(1).blocking.close()
        try FileManager.default.setAttributes([.posixPermissions: 0o770], ofItemAtPath: folder.string)
        try refused(.permissionsTooOpen) { _ = try scratch.open(1) }
    }

    @Test(
        "Read-only media, with no key file left over",
        .enabled(if: SmallDisk.isPossible, SmallDisk.missing))
    func readOnlyMedia() throws {
        let disk = try SmallDisk(megabytes: 4)
        defer { disk.unmount() }
        try disk.makeReadOnly()
        #expect(throws: LockstepError.self) {
            try Store.openBlocking(disk.path.appending("films.db"), key: scratch.key)
        }
        #expect(!FileAccess.exists(scratch.folder.file("my.key")))
    }

    @Test(
        "A key that is none: an empty passphrase, an unset variable, a missing identity, a provider without one"
    )
    func badKeys() throws {
        let none: [(KeySource, LockstepError.Code)] = [
            (.passphrase(""), .secretUnsuitable), (.passphrase(String(repeating: "x", count: 5000)), .secretUnsuitable),
            (.environment("LOCKSTEP_TEST_UNSET"), .noUsableSlot),
            (.command(["cat", "key"]), .commandFailed),
            (.command(["/bin/false"]), .commandFailed),
            (.command(["/bin/echo", "short"]), .secretUnsuitable),
            (.identity(scratch.folder.file("none.txt")), .notFound), (.provider { _ in nil }, .noUsableSlot),
            (.keyFile(scratch.folder.file("none/my.key")), .notFound),
        ]
        for (key, code) in none {
            try refused(code) { _ = try Store.openBlocking(path, key: key) }
            // The same for a dataset alone.
            try refused(code) {
                _ = try Store.openBlocking(
                    path, key: scratch.key, sealed: Dataset("films", key: key))
            }
        }
        let short = try scratch.folder.write("short.key", "short")
        try refused(.secretUnsuitable) {
            _ = try Store.openBlocking(path, key: .keyFile(short))
        }
    }

    @Test("A key that does not open the keyring")
    func otherKey() throws {
        try scratch.open(1).blocking.close()
        try KeyFile.create(scratch.folder.file("other.key"))
        try refused(.slotNotOpened) {
            _ = try Store.openBlocking(path, key: .keyFile(scratch.folder.file("other.key")))
        }
        try refused(.noUsableSlot) { _ = try Store.openBlocking(path, key: .passphrase("open")) }
        try remove(scratch.folder.file("my.key"))
        try refused(.notFound) { _ = try scratch.open(1) }
    }

    @Test("Datasets that are named twice, or cannot have that name")
    func datasets() throws {
        try refused(.misuse) {
            _ = try Store.openBlocking(path, key: scratch.key, sealed: Dataset("films"), Dataset("films"))
        }
        try refused(.keyringConflict) {
            _ = try Store.openBlocking(path, key: scratch.key, sealed: Dataset("../films"))
        }
    }

    @Test("A copy is not changed, but can be read")
    func copy() throws {
        try scratch.fill(2)
        let copy = scratch.folder.file("copy.db")
        let store = try scratch.open(2)
        try store.blocking.backup(to: copy)
        try store.blocking.close()
        func open(_ mode: OpeningMode) throws -> Store {
            try Store.openBlocking(
                copy, key: scratch.key, keyring: scratch.keyring, migrations: scratch.set(2),
                sealed: Dataset("films"), mode: mode)
        }
        let before = try Bytes.read(copy)
        for mode in [OpeningMode.openOrCreate, .existing] {
            Refusal.expect(.isCopy) { _ = try open(mode) }
        }
        #expect(try Bytes.read(copy) == before)
        let reading = try open(.readOnly)
        #expect(try reading.blocking.read { try $0.value("SELECT count(*) FROM film_open") } == 5)
        try reading.blocking.close()
        // With the option, an opening makes it a database of its own first.
        var options = StoreOptions()
        options.copies = .fork
        let fork = try Store.openBlocking(
            copy, key: scratch.key, keyring: scratch.keyring, migrations: scratch.set(2),
            sealed: Dataset("films"), mode: .existing, options: options)
        #expect(!fork.isCopy)
        try fork.blocking.write { db in
            try db.execute("INSERT INTO film_open (title, year) VALUES ('Laura', 1944)")
        }
        try fork.blocking.close()
        #expect(try scratch.keyring.summary().databases.count == 2)
        let original = try scratch.open(2)
        #expect(try original.blocking.read { try $0.value("SELECT count(*) FROM film_open") } == 5)
        try original.blocking.close()
    }

    @Test("A registry that somebody with the database's key has removed")
    func removedRegistry() throws {
        try scratch.fill(2)
        let keyring = try scratch.keyring.open { _ in
            try KeyFile.read(scratch.folder.file("my.key"))
        }
        let connection = try Connection.open(path, key: keyring.databaseKey(for: path))
        try connection.with(rights: .engine) {
            try connection.execute("DELETE FROM lockstep_dataset")
        }
        _ = consume connection
        Refusal.expect(.registryMissing) { _ = try scratch.open(2) }
        Refusal.expect(.registryMissing) { _ = try scratch.open(3) }
        Refusal.expect(.registryMissing) { _ = try scratch.open(2, mode: .readOnly) }
    }

    @Test("A schema that is not what the migrations make")
    func drift() throws {
        try scratch.open(1).blocking.close()
        let store = try Store.openBlocking(path, key: scratch.key)
        try store.blocking.write { try $0.execute("CREATE TABLE other (id INTEGER PRIMARY KEY)") }
        try store.blocking.close()
        Refusal.expect(.verificationFailed) { _ = try scratch.open(1) }
    }
}
