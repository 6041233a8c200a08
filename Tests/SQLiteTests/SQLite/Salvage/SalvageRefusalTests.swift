import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Salvage: refusals")
struct SalvageRefusalTests {
    private let salvage: SalvageScratch

    init() throws {
        salvage = try SalvageScratch()
        try salvage.fill(rows: 100)
    }

    private func refused(key: UInt8 = 1) throws -> LockstepError.Code? {
        try Refusal.code {
            _ = try Salvage(salvage.scratch.path, into: salvage.target).run(
                key: salvage.scratch.key(key), newKey: salvage.scratch.key(2))
        }
    }

    @Test("A file at the new path stays, and so does a log or journal that it would replay") func exists() throws {
        for name in ["new.db", "new.db-wal", "new.db-journal"] {
            try salvage.scratch.folder.write(name, "kept")
            #expect(try refused() == .alreadyExists)
            // At once, and not after the file was read.
            let code = try Refusal.code {
                _ = try Salvage(salvage.scratch.path, into: salvage.target).run(
                    key: salvage.scratch.key(), newKey: salvage.scratch.key(2)
                ) { Issue.record("\($0) was done") }
            }
            #expect(code == .alreadyExists)
            #expect(try salvage.scratch.names == ["data.db", name])
            #expect(try Bytes.read(salvage.scratch.folder.file(name)) == Array("kept".utf8))
            AtomicFile.remove(salvage.scratch.folder.file(name))
        }
        let code = try Refusal.code {
            _ = try Salvage(salvage.scratch.path, into: salvage.scratch.path).run(
                key: salvage.scratch.key(), newKey: salvage.scratch.key())
        }
        #expect(code == .alreadyExists)
    }

    @Test("A wrong key, a plaintext file, an empty one and a missing one are distinguished") func wrongFiles() throws {
        #expect(try refused(key: 3) == .wrongKey)
        try salvage.scratch.damage { $0 = PlaintextDatabase.bytes }
        #expect(try refused() == .plaintextDatabase)
        try salvage.scratch.damage { $0 = [] }
        #expect(try refused() == .emptyDatabase)
        AtomicFile.remove(salvage.scratch.path)
        #expect(try refused() == .notFound)
        #expect(try salvage.scratch.names == [])
    }

    @Test("A file without any page that verifies is refused as destroyed")
    func destroyed() throws {
        try salvage.scratch.damage { bytes in
            for page in 0..<(bytes.count / 4096) { bytes[page * 4096 + 500] ^= 1 }
        }
        #expect(try refused() == .damaged)
        #expect(try salvage.scratch.names == ["data.db"])
    }

    @Test("Without the salt in the file, the key's own salt is used")
    func salt() throws {
        try salvage.scratch.damage { $0.replaceSubrange(0..<16, with: 1...16) }
        let report = try salvage.salvage()
        // Page 1's MAC does not cover the salt.
        #expect(report.rows == 100 && report.damagedPages == [])
    }

    @Test("An error of the progress closure ends the salvage, and no files are left") func cancelling() throws {
        var seen: [JobProgress.Phase] = []
        #expect(throws: Stop.self) {
            _ = try Salvage(salvage.scratch.path, into: salvage.target).run(
                key: salvage.scratch.key(), newKey: salvage.scratch.key(2)
            ) { progress in
                seen.append(progress.phase)
                if progress.phase == .verifying { throw Stop() }
            }
        }
        #expect(seen.contains(.building) && seen.last == .verifying)
        #expect(try salvage.scratch.names == ["data.db"])
    }

    @Test("A concurrent writer is detected")
    func writer() throws {
        let code = try Refusal.code {
            _ = try Salvage(salvage.scratch.path, into: salvage.target).run(
                key: salvage.scratch.key(), newKey: salvage.scratch.key(2)
            ) { progress in
                if progress.phase == .building {
                    // Closing checkpoints the log into the main file.
                    try salvage.scratch.open().execute("CREATE TABLE more (a)")
                }
            }
        }
        #expect(code == .busy)
        #expect(try salvage.scratch.names == ["data.db"])
    }
}
