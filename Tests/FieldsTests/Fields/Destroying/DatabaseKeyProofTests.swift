import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// What the keyring records can be wrong, and what a caller names, too: the files decide.
@Suite("Destroying a database key looks at the files")
struct DatabaseKeyProofTests {
    private let bound: BoundScratch
    private var scratch: RotationScratch { bound.scratch }
    private var path: FilePath { scratch.path }
    private var other: FilePath { scratch.folder.file("other.db") }
    private var backup: FilePath { scratch.folder.file("backup.db") }

    init() throws { bound = try BoundScratch() }

    @discardableResult
    private func destroy(
        _ version: UInt32 = 1, of databases: [FilePath] = [], lost: Set<[UInt8]> = []
    ) throws -> KeyDestruction.Report {
        var destruction = KeyDestruction(of: .database, version: version, keyring: scratch.file)
        (destruction.databases, destruction.lost) = (databases, lost)
        var keyring = try scratch.keyring()
        return try destruction.run(&keyring, databaseKey: { _ in throw Stop() })
    }

    private func refusal(_ body: () throws -> Void) throws -> String {
        let before = try Bytes.read(scratch.file.path)
        let error = try #require(throws: LockstepError.self) { try body() }
        #expect(error.code == .keyInUse, "\(error)")
        #expect(try Bytes.read(scratch.file.path) == before, "the keyring was changed")
        return error.message
    }

    private func backUp() throws {
        let store = try Store.open(path, rawKey: scratch.keyring().databaseKey(for: path))
        try store.blocking.backup(to: backup)
        try store.blocking.close()
    }

    private func copy(_ source: FilePath, _ target: FilePath) throws {
        try FileManager.default.copyItem(atPath: source.string, toPath: target.string)
    }

    @Test("What lies in a database's place stands in the way, whatever the keyring records of it") func inPlace() throws
    {
        let old = try Bytes.read(path)
        try scratch.rotate()
        let new = try Bytes.read(path)
        try Bytes.write(old, to: path)
        #expect(try refusal { try destroy() }.contains("data.db is encrypted with it"))
        try Bytes.write(new, to: path)
        try destroy()
    }

    @Test("A backup there does, too, for it can be all that there is") func backupInPlace() throws {
        try backUp()
        try scratch.rotate()
        let new = try Bytes.read(path)
        try Bytes.write(Bytes.read(backup), to: path)
        try FileManager.default.removeItem(atPath: backup.string)
        #expect(try refusal { try destroy() }.contains("data.db is encrypted with it"))
        try Bytes.write(new, to: path)
        try destroy()
    }

    @Test("A file beside a database stands in the way unless it says that it is a copy, and backups are named")
    func beside() throws {
        try backUp()
        try copy(path, other)
        try scratch.rotate()
        #expect(try refusal { try destroy() }.contains("other.db is encrypted with it"))
        // Of a damaged one nobody knows.
        var bytes = try Bytes.read(other)
        for index in 100..<4096 { bytes[index] = 0 }
        try Bytes.write(bytes, to: other)
        #expect(try refusal { try destroy() }.contains("other.db is encrypted with it"))
        try FileManager.default.removeItem(atPath: other.string)
        #expect(try destroy().backups.map(\.lastComponent) == [backup.lastComponent])
    }

    @Test("A copy that was set aside with a damaged log stands in the way, by its name") func setAside() throws {
        try copy(path, FilePath("\(path).damaged-1"))
        try scratch.rotate()
        #expect(try refusal { try destroy() }.contains("damaged-1, which was set aside with a damaged log"))
    }

    @Test("The copy that another database set aside in the same folder does not") func setAsideOfAnother() throws {
        for name in ["films.db", "films.db.damaged-1"] { try scratch.folder.write(name, "under another keyring") }
        try scratch.rotate()
        try destroy()
    }

    @Test("A named copy proves nothing of its database, and neither does a file beside it") func named() throws {
        var keyring = try scratch.keyring()
        let second = scratch.folder.file("second.db")
        do {
            let connection = try Connection.create(second, key: keyring.activeDatabaseKey())
            try keyring.bind(connection, in: scratch.file)
        }
        try scratch.rotate()
        let hidden = scratch.folder.file(".second.db")
        // Copies of the first database under the new key.
        try backUp()
        try copy(path, other)
        // The first database itself is under the old key, where nobody looks.
        try Bytes.write(Bytes.read(second), to: hidden)
        try FileManager.default.removeItem(atPath: second.string)
        let id = try #require(keyring.document.files.first { $0.path?.lastComponent == second.lastComponent }).database
        for databases in [[], [backup]] {
            #expect(try refusal { try destroy(of: databases) }.contains(Hex.encode(id)))
        }
        // What claims to be a database that lies elsewhere is no answer.
        let before = try Bytes.read(scratch.file.path)
        for databases in [[other], [path, backup, other]] {
            Refusal.expect(.twoFiles) { try destroy(of: databases) }
        }
        #expect(try Bytes.read(scratch.file.path) == before)
        try destroy(lost: [id])
    }

    @Test("A database that is found is not lost") func found() throws {
        let id = try #require(scratch.keyring().document.files.first).database
        let moved = scratch.folder.file("moved.db")
        try scratch.rotate()
        var keyring = try scratch.keyring()
        try keyring.relist(id, under: FileKey(entry: keyring.entry(of: 1)))
        try scratch.file.save(&keyring)
        Refusal.expect(.misuse) { try destroy(lost: [id]) }
        try FileManager.default.moveItem(atPath: path.string, toPath: moved.string)
        #expect(try refusal { try destroy() }.contains("not at"))
        try destroy(of: [moved])
    }
}
