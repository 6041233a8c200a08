import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Each database of a keyring has a key of its own")
struct OwnKeyTests {
    private let folder: TemporaryFolder
    private let file: KeyringFile
    private let key = [UInt8](repeating: 0xA5, count: 32)
    private var a: FilePath { folder.file("a.db") }
    private var b: FilePath { folder.file("b.db") }

    init() throws {
        folder = try TemporaryFolder()
        file = KeyringFile(folder.file("data.keyring"))
        var keyring = try Keyring.create(.database)
        try keyring.addSlot("key-file", Rings.keyFile())
        try file.create(keyring)
        for path in [a, b] { try make(path) }
    }

    private func keyring() throws -> Keyring { try file.open { _ in try Rings.keyFile() } }

    private func make(_ path: FilePath) throws {
        var keyring = try keyring()
        let store = try Store.create(path, keyring: &keyring, in: file)
        try store.blocking.write { connection in
            try connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, body TEXT)")
            for _ in 0..<200 {
                try connection.execute(
                    "INSERT INTO item (body) VALUES (?)", "\(path.lastComponent?.string ?? "") secret")
            }
        }
        try store.blocking.close()
    }

    private func open(_ path: FilePath) throws -> Connection {
        try Connection.open(path, key: keyring().databaseKey(for: path))
    }

    private func rows(_ path: FilePath) throws -> Set<String> {
        try Set(open(path).query("SELECT body FROM item") { try $0[0] as String })
    }

    private func found(_ path: FilePath) throws -> FileKey? { try keyring().keyEntry(ofFileAt: path) }

    private func record(_ path: FilePath) throws -> DatabaseRecord {
        let keyring = try keyring()
        let record = try keyring.record(at: path)
        return try #require(record)
    }

    private func backup(_ path: FilePath, to copy: FilePath) throws {
        let store = try Store.open(path, rawKey: keyring().databaseKey(for: path))
        try store.blocking.backup(to: copy)
        try store.blocking.close()
    }

    private func rotate(_ path: FilePath) throws {
        var keyring = try keyring()
        try DatabaseKeyRotation(of: path, keyring: file).run(&keyring)
    }

    private func sharing(_ path: FilePath) throws -> [String] {
        let report = try Verification(path, sets: []).run(keyring: keyring())
        let outcome = try #require(report.outcomes.first { $0.check == .freshness })
        #expect(outcome.findings.filter(\.isFailure) == [])
        return outcome.findings.map(\.message).filter { $0.contains("key") }
    }

    /// Puts each page of one file into the other, and expects that it verifies there in no case.
    private func exchange(_ source: FilePath, into target: FilePath, _ context: Comment) throws {
        let (from, before) = (try Bytes.read(source), try Bytes.read(target))
        #expect(from.prefix(16) != before.prefix(16), context)
        let key = try keyring().databaseKey(for: target)
        for page in 0..<min(from.count, before.count) / 4096 {
            let place = page * 4096..<(page + 1) * 4096
            // The first page goes without its salt, too.
            for skipped in page == 0 ? [0, 16] : [0] {
                var bytes = before
                bytes.replaceSubrange(place.dropFirst(skipped), with: from[place.dropFirst(skipped)])
                try Bytes.write(bytes, to: target)
                #expect(try !PageAudit(target).run(key: key).isClean, context)
            }
        }
        try Bytes.write(before, to: target)
        #expect(try PageAudit(target).run(key: key).isClean, context)
    }

    // MARK: Pages

    @Test("A page of a sibling, a fork, a backup or an earlier key does not open, and no two files begin alike")
    func pages() throws {
        let (copy, fork, old) = (folder.file("copy.db"), folder.file("fork.db"), folder.file("old.db"))
        try backup(a, to: copy)
        try backup(a, to: fork)
        var keyring = try keyring()
        try Fork(of: fork, keyring: file).run(&keyring)
        try Bytes.write(Bytes.read(a), to: old)
        try rotate(a)
        for other in [b, copy, fork, old] { try exchange(other, into: a, "\(other) in \(a)") }
        for other in [a, copy, old] { try exchange(other, into: fork, "\(other) in \(fork)") }
        #expect(try rows(a) == ["a.db secret"] && rows(fork) == ["a.db secret"] && rows(b) == ["b.db secret"])
    }

    @Test("Negative control: under one key and salt a page of the other file verifies")
    func control() throws {
        let copy = folder.file("copy.db")
        try Bytes.write(Bytes.read(a), to: copy)
        do { try open(a).execute("UPDATE item SET body = 'newer'") }
        let (from, before) = (try Bytes.read(copy), try Bytes.read(a))
        let changed = (1..<from.count / 4096).map { $0 * 4096..<($0 + 1) * 4096 }.first { from[$0] != before[$0] }
        let place = try #require(changed)
        var bytes = before
        bytes.replaceSubrange(place, with: from[place])
        try Bytes.write(bytes, to: a)
        #expect(try PageAudit(a).run(key: keyring().databaseKey(for: a)).isClean)
    }

    @Test("The key of one file, as it is exported, opens no other") func exported() throws {
        let key = try keyring().databaseKey(for: a).withoutOrigin()
        do { _ = try Connection.open(a, key: key) }
        Refusal.expect(.wrongKey) { _ = try Connection.open(b, key: key) }
        let copy = folder.file("copy.db")
        try backup(b, to: copy)
        Refusal.expect(.wrongKey) { _ = try Connection.open(copy, key: key) }
        // What files share that the keyring does not record opens none of those that it does.
        for path in [a, b] {
            Refusal.expect(.wrongKey) { _ = try Connection.open(path, key: keyring().databaseKey(version: 1)) }
        }
    }

    // MARK: Finding the key

    @Test("The line says with what the file begins, and under which key it is") func recorded() throws {
        for path in [a, b] {
            let record = try record(path)
            #expect(try record.salt == Array(Bytes.read(path).prefix(16)))
            #expect(try found(path)?.file == record.database)
            let expected = try keyring().versionKey(1).secret(of: record.database)
            #expect(try keyring().databaseKey(for: path).secret == expected)
        }
        try rotate(a)
        let record = try record(a)
        #expect(try record.keyVersion == 2 && record.salt == Array(Bytes.read(a).prefix(16)))
        #expect(try sharing(a) == [] && sharing(b) == [])
    }

    @Test("A backup has its database's key, and is found wherever it lies, also if its first page is damaged")
    func backups() throws {
        let (copy, moved) = (folder.file("copy.db"), folder.file("moved.db"))
        try backup(b, to: copy)
        try rotate(b)
        let identity = try record(b).database
        #expect(
            try found(copy)
                == FileKey(entry: keyring().entry(of: 1), file: identity, salt: Array(Bytes.read(copy).prefix(16))))
        try FileManager.default.moveItem(atPath: copy.string, toPath: moved.string)
        for place in [100, 4000, 4095] {
            var bytes = try Bytes.read(moved)
            bytes[place] ^= 1
            try Bytes.write(bytes, to: moved)
            #expect(try found(moved)?.file == identity && found(moved)?.version == 1)
        }
        // Without its salt nothing of it verifies.
        var bytes = try Bytes.read(moved)
        bytes.replaceSubrange(0..<16, with: [UInt8](repeating: 1, count: 16))
        try Bytes.write(bytes, to: moved)
        #expect(try found(moved) == nil)
    }

    @Test("A database whose first bytes are gone is recognised by what its keyring remembers, and salvaged")
    func salt() throws {
        var bytes = try Bytes.read(a)
        bytes.replaceSubrange(0..<16, with: [UInt8](repeating: 1, count: 16))
        try Bytes.write(bytes, to: a)
        let error = try #require(throws: LockstepError.self) { _ = try open(a) }
        #expect(error.code == .damaged && error.message.contains("including its salt"))
        let new = folder.file("new.db")
        var keyring = try keyring()
        try Salvage(a, into: new).run(&keyring, in: file)
        #expect(try rows(new) == ["a.db secret"])
    }

    @Test("The salt of another file proves nothing") func forgedSalt() throws {
        var bytes = try Bytes.read(a)
        bytes.replaceSubrange(0..<16, with: try Bytes.read(b).prefix(16))
        try Bytes.write(bytes, to: a)
        #expect(throws: LockstepError.self) { _ = try open(a) }
    }

    @Test("Of a thousand recorded databases the one whose backup it is is found") func thousand() throws {
        var keyring = try keyring()
        let (first, last) = (try record(a).database, try record(b).database)
        for number in 0..<1000 {
            let id = [1, UInt8(number >> 8), UInt8(number & 255)] + [UInt8](repeating: 9, count: 13)
            try keyring.list(DatabaseRecord(database: id, keyVersion: 1, salt: id, seen: 1, path: "../\(number).db"))
        }
        let (one, other) = (folder.file("one.db"), folder.file("other.db"))
        try backup(a, to: one)
        try backup(b, to: other)
        #expect(try keyring.keyEntry(ofFileAt: one)?.file == first)
        #expect(try keyring.keyEntry(ofFileAt: other)?.file == last)
        // Of none.
        do { _ = try Connection.create(folder.file("foreign.db"), key: .ephemeral()) }
        #expect(try keyring.keyEntry(ofFileAt: folder.file("foreign.db")) == nil)
    }

    // MARK: Files that share a key

    @Test("A file that another program made under an exported key is named by verify, and a rotation parts them")
    func shared() throws {
        let other = folder.file("other.db")
        do { _ = try Connection.create(other, key: keyring().databaseKey(for: a).withoutOrigin()) }
        do { try open(a).execute("CREATE TABLE more (x)") }
        var keyring = try keyring()
        try keyring.bind(Connection.open(other, key: keyring.keyOfNew(other)), in: file)
        #expect(try record(other).salt == nil)
        for (path, named) in [(a, other), (other, a)] {
            let notices = try sharing(path)
            #expect(notices.count == 1 && notices[0].contains(named.lastComponent?.string ?? "-"), "\(notices)")
        }
        #expect(try sharing(b) == [])
        try rotate(other)
        #expect(try record(other).salt == Array(Bytes.read(other).prefix(16)))
        for path in [a, b, other] { #expect(try sharing(path) == []) }
        try exchange(a, into: other, "parted")
    }

    @Test("A file whose identity was changed and accepted keeps the key that it has until a rotation")
    func changedIdentity() throws {
        let identity = [UInt8](repeating: 7, count: 16)
        do {
            let connection = try Connection.open(a, key: keyring().keyOfNew(a))
            try connection.with(rights: .engine) {
                try connection.execute("UPDATE lockstep_keyring SET database = ? WHERE database NOT NULL", identity)
            }
        }
        Refusal.expect(.unknownDatabase) { _ = try open(a) }
        var keyring = try keyring()
        try keyring.bind(Connection.open(a, key: keyring.keyOfNew(a)), in: file)
        #expect(try rows(a) == ["a.db secret"])
        #expect(try sharing(a).count == 1)
        try rotate(a)
        #expect(try rows(a) == ["a.db secret"] && sharing(a) == [])
        #expect(try found(a)?.file == identity)
    }
}
