import FaultyVFS
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

extension FaultTests {
    /// Copies of a database, in a folder whose files fail.
    @Suite("Copies")
    struct Copies {
        private static let rows = 120

        private static func copy(_ scratch: DatabaseScratch) -> FilePath {
            scratch.folder.file("copy.db")
        }

        private static func fill(_ scratch: DatabaseScratch) throws {
            try scratch.fill(rows: rows)
        }

        /// Expects a complete copy, or none, and no other file beside `data.db`.
        private static func expectCopy(_ scratch: DatabaseScratch, _ isDue: Bool) throws {
            let path = copy(scratch)
            #expect(FileAccess.exists(path) == isDue)
            if isDue {
                #expect(try PageAudit(path).run(key: scratch.key(2)).isClean)
                let connection = try Connection.open(path, key: scratch.key(2))
                #expect(try scratch.count(connection) == rows)
                try IntegrityPragma.require(connection)
            }
            let wanted = isDue ? ["copy.db", "data.db"] : ["data.db"]
            #expect(try scratch.names.filter { !$0.hasPrefix("data.db-") } == wanted)
        }

        @Test("A backup", arguments: FaultCampaign.Fault.allCases)
        func backup(_ fault: FaultCampaign.Fault) throws {
            let outcome = try FaultCampaign(fault: fault).run(prepare: Self.fill) {
                scratch in
                let store = try Store.open(scratch.path, rawKey: scratch.key())
                try store.blocking.backup(to: Self.copy(scratch), key: scratch.key(2))
            } check: { scratch, succeeded in
                try Self.expectCopy(scratch, succeeded)
                #expect(try scratch.count(scratch.open()) == Self.rows)
            }
            #expect(outcome.isStopped || outcome.ended && outcome.errors >= 1, "\(outcome)")
        }

        @Test("A restore", arguments: FaultCampaign.Fault.allCases)
        func restore(_ fault: FaultCampaign.Fault) throws {
            let outcome = try FaultCampaign(fault: fault).run { scratch in
                try Self.fill(scratch)
                let store = try Store.open(scratch.path, rawKey: scratch.key())
                try store.blocking.backup(to: Self.copy(scratch), key: scratch.key(2))
                try store.blocking.write { try $0.execute("DELETE FROM item WHERE id > 40") }
            } operate: { scratch in
                try Restore(scratch.path, from: Self.copy(scratch)).run(key: scratch.key(), backupKey: scratch.key(2))
            } check: { scratch, succeeded in
                do {
                    let connection = try scratch.open()
                    let count = try scratch.count(connection) ?? -1
                    #expect(count == Self.rows || (!succeeded && count == 40), "\(count) rows")
                    try IntegrityPragma.require(connection)
                }
                #expect(try PageAudit(scratch.path).run(key: scratch.key()).isClean)
                try Self.expectCopy(scratch, true)
            }
            #expect(outcome.isStopped || outcome.ended && outcome.errors >= 1, "\(outcome)")
        }

        @Test("An adoption", arguments: FaultCampaign.Fault.allCases)
        func adoption(_ fault: FaultCampaign.Fault) throws {
            let plaintext = try CopyScratch()
            try plaintext.makePlaintext(
                "CREATE TABLE item (id INTEGER PRIMARY KEY, body BLOB)",
                """
                WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.rows))
                INSERT INTO item (body) SELECT randomblob(100) FROM n
                """)
            let bytes = try plaintext.old.bytes
            let outcome = try FaultCampaign(fault: fault).run { scratch in
                try Bytes.write(bytes, to: scratch.path)
            } operate: { scratch in
                try Adoption(of: scratch.path, into: Self.copy(scratch)).run(
                    key: scratch.key(2))
            } check: { scratch, succeeded in
                #expect(try scratch.bytes == bytes)
                try Self.expectCopy(scratch, succeeded)
            }
            #expect(outcome.isStopped || outcome.ended && outcome.errors >= 1, "\(outcome)")
        }
    }
}
