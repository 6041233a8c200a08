import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("A log that was set aside outlives a rotation")
struct SetAsideRotationTests {
    private let scratch: RotationScratch
    private var copy: FilePath { FilePath("\(scratch.path).damaged-1") }

    init() throws {
        scratch = try RotationScratch()
        try scratch.fill(rows: 40, size: 900, logged: 60)
        let log = FilePath("\(scratch.path)-wal")
        let file = try LogFile(bytes: Bytes.read(log))
        var bytes = file.bytes
        bytes[file.start(of: file.frames / 2) + 700] ^= 1
        try Bytes.write(bytes, to: log)
        AtomicFile.remove(FilePath("\(scratch.path)-shm"))
        var keyring = try scratch.keyring()
        try keyring.bind(Connection.open(scratch.path, key: keyring.databaseKey(for: scratch.path)), in: scratch.file)
    }

    private func salvaged() throws -> (rows: Int, report: SalvageReport) {
        let new = scratch.folder.file("new.db")
        DatabaseScratch.remove(new)
        var keyring = try scratch.keyring()
        let report = try Salvage(scratch.path, into: new).run(&keyring, in: scratch.file)
        let connection = try Connection.open(new, key: scratch.keyring().databaseKey(for: new))
        return (try connection.value("SELECT count(*) FROM item", as: Int.self) ?? 0, report)
    }

    @Test("Its rows are salvaged under whichever key, and its key is not destroyed") func rotated() throws {
        #expect(FileAccess.exists(copy))
        let before = try salvaged()
        #expect(before.report.setAside.map(\.isUnreadable) == [false])
        try scratch.rotate()
        try scratch.rotate(.compromise)
        let after = try salvaged()
        #expect(after.rows == before.rows && after.report.setAside == before.report.setAside)
        var keyring = try scratch.keyring()
        let destruction = KeyDestruction(of: .database, version: 1, keyring: scratch.file)
        let error = try #require(throws: LockstepError.self) {
            try destruction.run(&keyring, databaseKey: { _ in throw Stop() })
        }
        #expect(error.code == .keyInUse && error.message.contains("damaged-1, which was set aside"))
        // The copy alone is salvaged, too.
        let new = scratch.folder.file("own.db")
        _ = try Salvage(copy, into: new).run(&keyring, in: scratch.file)
        #expect(FileAccess.exists(new))
    }

    @Test("A database that was moved finds it") func moved() throws {
        let before = try salvaged()
        let moved = scratch.folder.file("moved.db")
        try FileManager.default.moveItem(atPath: scratch.path.string, toPath: moved.string)
        var keyring = try scratch.keyring()
        let report = try Salvage(moved, into: scratch.folder.file("other.db")).run(&keyring, in: scratch.file)
        #expect(report.setAside.map(\.rows) == before.report.setAside.map(\.rows))
        let verified = try Verification(moved, sets: []).run(keyring: keyring)
        let sides = verified.outcomes.first { $0.check == .sideFiles }
        #expect(sides?.findings.contains { $0.message.contains("damaged-1") } == true)
    }

    @Test("One of which the first bytes are damaged keeps every key") func unknown() throws {
        var bytes = try Bytes.read(copy)
        for index in 0..<16 { bytes[index] ^= 1 }
        try Bytes.write(bytes, to: copy)
        try scratch.rotate()
        var keyring = try scratch.keyring()
        let destruction = KeyDestruction(of: .database, version: 1, keyring: scratch.file)
        Refusal.expect(.keyInUse) { try destruction.run(&keyring, databaseKey: { _ in throw Stop() }) }
    }
}
