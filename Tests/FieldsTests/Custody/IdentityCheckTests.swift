import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Where a keyring saw its databases, and what else lies there.
@Suite("A keyring knows where its databases lie")
struct IdentityCheckTests {
    private let bound: BoundScratch
    private var scratch: RotationScratch { bound.scratch }
    private var path: FilePath { scratch.path }
    private var elsewhere: FilePath { scratch.folder.file("elsewhere.db") }

    init() throws { bound = try BoundScratch() }

    private func move(_ source: FilePath, _ target: FilePath) throws {
        try FileManager.default.moveItem(atPath: source.string, toPath: target.string)
    }

    private func copy(_ source: FilePath, _ target: FilePath) throws {
        try FileManager.default.copyItem(atPath: source.string, toPath: target.string)
    }

    private func places() throws -> [FilePath?] {
        try scratch.keyring().document.files.map { try scratch.file.place(of: $0) }
    }

    private func settle(_ path: FilePath) throws {
        var keyring = try scratch.keyring()
        try keyring.settle(Connection.open(path, key: keyring.databaseKey(for: path)), in: scratch.file)
    }

    private func backUp(to target: FilePath) throws {
        let store = try Store.open(path, rawKey: scratch.keyring().databaseKey(for: path))
        try store.blocking.backup(to: target)
        try store.blocking.close()
    }

    /// Another database of the keyring, which records it.
    private func second() throws -> FilePath {
        let path = scratch.folder.file("second.db")
        var keyring = try scratch.keyring()
        let connection = try Connection.create(path, key: keyring.activeDatabaseKey())
        try connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, body)")
        try keyring.bind(connection, in: scratch.file)
        return path
    }

    private func expect(_ code: LockstepError.Code, _ path: FilePath) throws {
        let error = try #require(throws: LockstepError.self) { try bound.open(path) }
        #expect(error.code == code, "\(error)")
        #expect(error.context.file?.contains(path.lastComponent?.string ?? "-") == true)
        #expect(error.hint != nil)
        let key = try scratch.keyring().databaseKey(for: path)
        Refusal.expect(code) { _ = try Store.open(path, rawKey: key) }
        let found = try bound.age(path).findings.filter(\.isFailure).map(\.message)
        #expect(found == [error.message])
    }

    // MARK: Moving

    @Test("A database that was moved opens, and the next command that writes follows it") func moved() throws {
        try move(path, elsewhere)
        try bound.open(elsewhere)
        #expect(try bound.age(elsewhere).findings == [])
        #expect(try places() == [RealPath.of(path)])
        try settle(elsewhere)
        #expect(try places() == [RealPath.of(elsewhere)])
        let before = try Bytes.read(scratch.file.path)
        try settle(elsewhere)
        #expect(try Bytes.read(scratch.file.path) == before)
    }

    @Test("A link is the same file")
    func links() throws {
        try FileManager.default.createSymbolicLink(atPath: elsewhere.string, withDestinationPath: path.string)
        #expect(IdentityCheck.isSame(path, elsewhere))
        let content = try KeyringTable.read(bound.open())
        let keyring = try scratch.keyring()
        let origin = try #require(try keyring.databaseKey(for: path).origin)
        let found = try IdentityCheck.require(content, origin, at: elsewhere, keyring.activeDatabaseKey())
        #expect(found == .inPlace)
        try bound.open()
        #expect(try bound.age().findings == [])
    }

    @Test("A folder that is moved or copied together with its keyring is the same as before") func folders() throws {
        let other = try RotationScratch(copying: scratch)
        _ = try Store.open(other.path, rawKey: other.keyring().databaseKey(for: other.path))
        try bound.open()
    }

    // MARK: Two files

    @Test("Of two files that claim to be one database, the one elsewhere is refused")
    func copied() throws {
        try copy(path, elsewhere)
        try expect(.twoFiles, elsewhere)
        try bound.open()
        try FileManager.default.removeItem(atPath: path.string)
        try bound.open(elsewhere)
    }

    @Test("A file of an identity that nobody could take for the database does not count") func harmless() throws {
        try copy(path, elsewhere)
        try Bytes.write([UInt8](repeating: 0xA5, count: 8192), to: path)
        try bound.open(elsewhere)
        try FileManager.default.removeItem(atPath: path.string)
        try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: false)
        try bound.open(elsewhere)
    }

    @Test("A backup opens anywhere, beside the database and without it")
    func backups() throws {
        try backUp(to: elsewhere)
        try bound.open(elsewhere)
        try settle(elsewhere)
        #expect(try places() == [RealPath.of(path)])
        try FileManager.default.removeItem(atPath: path.string)
        try bound.open(elsewhere)
    }

    @Test("In the place of the database, a backup must be as new as the keyring has seen it")
    func restoredByHand() throws {
        try backUp(to: elsewhere)
        let old = try Bytes.read(elsewhere)
        try Bytes.write(old, to: path)
        try bound.open()
        try FileManager.default.removeItem(atPath: path.string)
        let copy = try Bytes.read(elsewhere)
        try Restore(path, from: elsewhere).run(
            key: scratch.keyring().activeDatabaseKey(), backupKey: scratch.keyring().activeDatabaseKey())
        try bound.save()
        try settle(path)
        try Bytes.write(copy, to: path)
        Refusal.expect(.databaseOutdated) { try bound.open() }
    }

    // MARK: Exchanged files

    @Test("Files that were exchanged are refused, both and each")
    func exchanged() throws {
        let second = try second()
        try move(path, elsewhere)
        try move(second, path)
        try expect(.exchanged, path)
        try move(elsewhere, second)
        try expect(.exchanged, path)
        try expect(.exchanged, second)
        try move(path, elsewhere)
        try expect(.exchanged, second)
        try bound.open(elsewhere)
        try move(second, path)
        try move(elsewhere, second)
        for path in [path, second] { try bound.open(path) }
    }

    @Test("A copy of one database is refused in the place of another")
    func copyInPlace() throws {
        let second = try second()
        try backUp(to: elsewhere)
        try FileManager.default.removeItem(atPath: second.string)
        try move(elsewhere, second)
        try expect(.exchanged, second)
    }

    @Test("What a person records is right from then on")
    func recorded() throws {
        let second = try second()
        try move(path, elsewhere)
        try move(second, path)
        try move(elsewhere, second)
        for path in [path, second] {
            var keyring = try scratch.keyring()
            try keyring.bind(
                Connection.open(path, key: keyring.keyOfNew(path)), in: scratch.file)
        }
        for path in [path, second] {
            try bound.open(path)
            #expect(try bound.age(path).findings.filter(\.isFailure) == [])
        }
    }

    // MARK: What is not known

    @Test("A keyring from no file says nothing of places, and neither does a record without one")
    func unknown() throws {
        try copy(path, elsewhere)
        let text = try Bytes.read(scratch.file.path)
        let keyring = try Keyring.open(text) { _ in
            try KeyFile.read(scratch.folder.file("my.key"))
        }
        _ = try Store.open(elsewhere, rawKey: keyring.databaseKey(for: elsewhere))
        var changed = try scratch.keyring()
        try changed.change(in: scratch.file) { keyring in
            for index in keyring.document.files.indices { keyring.document.files[index].path = nil }
        }
        try bound.open(elsewhere)
        try bound.open()
    }
}
