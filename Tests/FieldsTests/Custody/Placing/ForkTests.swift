import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("A fork is a database of its own")
struct ForkTests {
    private let bound: BoundScratch
    private var scratch: RotationScratch { bound.scratch }
    private var path: FilePath { scratch.path }
    private var copy: FilePath { scratch.folder.file("copy.db") }

    init() throws {
        bound = try BoundScratch()
        let store = try Store.open(path, rawKey: scratch.keyring().databaseKey(for: path))
        try store.blocking.backup(to: copy)
        try store.blocking.close()
    }

    @discardableResult
    private func fork(_ path: FilePath? = nil) throws -> Fork.Report {
        var keyring = try scratch.keyring()
        return try Fork(of: path ?? copy, keyring: scratch.file).run(&keyring)
    }

    private func content(_ path: FilePath) throws -> KeyringTable.Content {
        try KeyringTable.read(Connection.open(path, key: scratch.keyring().databaseKey(for: path).withoutOrigin()))
    }

    private func rows(_ path: FilePath) throws -> [String] {
        try RotationScratch.content(bound.open(path))
    }

    private func records() throws -> [DatabaseRecord] { try scratch.keyring().document.files }

    private func isDue(_ path: FilePath) throws -> Bool {
        try bound.open(path).isCopy
    }

    @Test("A backup gets an identity and a record of its own, and its database changes in nothing")
    func backup() throws {
        let (before, record, rows) = (try Bytes.read(path), try #require(records().first), try rows(copy))
        let report = try fork()
        #expect(report.origin == record.database && report.database != record.database)
        #expect(try report.original == RealPath.of(path))
        #expect(try Bytes.read(path) == before)
        #expect(try content(copy).database == report.database)
        #expect(try content(copy).role == .original)
        let own = try #require(records().first { $0.database == report.database })
        #expect(own.origin == record.database && own.seen > 0 && own.keyVersion == 1)
        #expect(try scratch.file.place(of: own) == RealPath.of(copy))
        #expect(try records().contains(record))
        #expect(try self.rows(copy) == rows)
        for path in [path, copy] {
            try bound.open(path)
            #expect(try bound.age(path).findings.filter(\.isFailure) == [])
        }
    }

    @Test("A file that was copied with another program does not say so, and is forked on request")
    func copied() throws {
        let other = scratch.folder.file("other.db")
        try FileManager.default.copyItem(atPath: path.string, toPath: other.string)
        #expect(try !isDue(path))
        let report = try fork(other)
        #expect(try content(other).database == report.database)
        for path in [path, other] { try bound.open(path) }
    }

    @Test("Whatever is done to the fork, its database stays under its key")
    func rotated() throws {
        try fork()
        var keyring = try scratch.keyring()
        try DatabaseKeyRotation(of: copy, keyring: scratch.file).run(&keyring)
        #expect(try records().map(\.keyVersion).sorted() == [1, 2])
        for path in [path, copy] { try bound.open(path) }
        try scratch.rotate()
        #expect(try records().map(\.keyVersion).sorted() == [2, 3])
        for path in [path, copy] { try bound.open(path) }
    }

    @Test("A fork that was killed after its first step is finished by the next one") func interrupted() throws {
        let origin = try #require(records().first?.database)
        let id = [UInt8](repeating: 7, count: 16)
        var keyring = try scratch.keyring()
        try scratch.file.update(&keyring) { keyring in
            try keyring.list(
                DatabaseRecord(database: id, keyVersion: 1, path: scratch.file.spelling(of: copy), origin: origin))
        }
        // Until then it is what it was.
        try bound.open(copy)
        try bound.open()
        #expect(try fork().database == id)
        #expect(try records().count == 2)
        for path in [path, copy] { try bound.open(path) }
    }

    @Test(
        "A fork that was killed after its second step is a database, which the next command notes")
    func unnoted() throws {
        let report = try fork()
        var keyring = try scratch.keyring()
        try scratch.file.update(&keyring) { $0.note(report.database, recorded: 0) }
        try bound.open(copy)
        Refusal.expect(.misuse) { try fork() }
        try keyring.settle(Connection.open(copy, key: keyring.databaseKey(for: copy)), in: scratch.file)
        #expect(try records().allSatisfy { $0.seen > 0 })
        #expect(try records().count == 2)
    }

    @Test("The database itself is not forked, by whatever name")
    func original() throws {
        Refusal.expect(.misuse) { try fork(path) }
        let link = scratch.folder.file("link.db")
        try FileManager.default.linkItem(atPath: path.string, toPath: link.string)
        Refusal.expect(.notAFile) { try fork(link) }
        try FileManager.default.removeItem(atPath: path.string)
        // Then it was moved.
        Refusal.expect(.misuse) { try fork(link) }
        #expect(try records().count == 1)
    }

    @Test("A copy in the place of its database was restored by hand, and stays that")
    func inPlace() throws {
        #expect(try isDue(copy))
        try FileManager.default.removeItem(atPath: path.string)
        try FileManager.default.moveItem(atPath: copy.string, toPath: path.string)
        #expect(try !isDue(path))
        Refusal.expect(.misuse) { try fork(path) }
    }

    @Test("Without a known place a file that claims to be the database is believed") func placeless() throws {
        let other = scratch.folder.file("other.db")
        try FileManager.default.copyItem(atPath: path.string, toPath: other.string)
        var keyring = try scratch.keyring()
        try keyring.change(in: scratch.file) { keyring in
            for index in keyring.document.files.indices { keyring.document.files[index].path = nil }
        }
        Refusal.expect(.misuse) { try fork(other) }
        #expect(try !isDue(copy))
        // A backup says what it is.
        #expect(try fork().original == nil)
    }

    @Test(
        "Another database, a keyring of a dataset, and a backup under a key that was replaced are refused"
    )
    func refused() throws {
        var keyring = try scratch.keyring()
        let other = scratch.folder.file("other.db")
        _ = try Connection.create(other, key: keyring.activeDatabaseKey())
        Refusal.expect(.unknownDatabase) { try fork(other) }
        var fields = try Keyring.create(.fields)
        Refusal.expect(.keyringMismatch) {
            try Fork(of: copy, keyring: scratch.file).run(&fields)
        }
        // A backup from before a rotation has a key that is not in use.
        try scratch.rotate()
        Refusal.expect(.keyUnavailable) { try fork() }
        keyring = try scratch.keyring()
        #expect(keyring.document.files.count == 1)
    }
}
