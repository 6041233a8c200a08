import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A refused adoption leaves no files, and the original unchanged.
@Suite("Adoption: refusals")
struct AdoptionRefusalTests {
    private let scratch: CopyScratch

    init() throws { scratch = try CopyScratch() }

    private func makeRows(_ count: Int) throws {
        try scratch.makePlaintext(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, x)",
            """
            WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO t (x) SELECT randomblob(100) FROM n
            """)
    }

    /// A plaintext database made with the extensions that the program gives its connections.
    private func makePlaintext(_ options: ConnectionOptions, _ script: String) throws {
        try Bytes.write([], to: scratch.old.path)
        try ExternalDatabase.makePlaintext(scratch.old.path, options: options).run(script: script)
    }

    private static var collation: ConnectionOptions {
        var options = ConnectionOptions()
        options.collations = [
            Collation("backwards") { first, second in
                first == second ? 0 : first < second ? 1 : -1
            }
        ]
        return options
    }

    private static var function: ConnectionOptions {
        var options = ConnectionOptions()
        options.functions = [
            SQLFunction("twice", argumentCount: 1, isDeterministic: true) { arguments in
                guard case .integer(let number) = try arguments[0] else { return .null }
                return .integer(number * 2)
            }
        ]
        return options
    }

    @Test("A collation of the program must be provided where no index shows its order, and is sufficient")
    func collation() throws {
        try makePlaintext(
            Self.collation,
            """
            CREATE TABLE t (a TEXT COLLATE backwards PRIMARY KEY); INSERT INTO t VALUES ('a'), ('b');
            CREATE TABLE w (a TEXT COLLATE backwards PRIMARY KEY CHECK (a > 'e')) WITHOUT ROWID;
            INSERT INTO w VALUES ('c'), ('d');
            """)
        let error = try scratch.expectRefusal(.sqlFailed)
        #expect(error?.message.contains("backwards") == true && error?.hint != nil)
        let report = try scratch.adoptWhole(options: Self.collation)
        #expect(report.copy.rows == ["t": 2, "w": 2])
    }

    @Test("A function of the program must be provided, and is sufficient")
    func function() throws {
        try makePlaintext(
            Self.function,
            """
            CREATE TABLE t (a INTEGER, b INTEGER AS (twice(a)) STORED);
            INSERT INTO t (a) VALUES (1), (2); CREATE INDEX i ON t (twice(a));
            """)
        let error = try scratch.expectRefusal(.sqlFailed)
        #expect(error?.message.contains("twice") == true && error?.hint != nil)
        try scratch.adoptWhole(options: Self.function)
        let sum: Int? = try scratch.new.open(Self.function).value("SELECT sum(b) FROM t")
        #expect(sum == 6)
    }

    @Test("A file at the target stays, and so does a log that a new file would use")
    func occupied() throws {
        try makeRows(3)
        try scratch.new.folder.write("new.db-wal", "a log of somebody's")
        let error = try scratch.expectRefusal(.alreadyExists)
        #expect(error?.message.contains("new.db-wal") == true)
        try scratch.new.folder.write("new.db", "something of somebody's")
        try scratch.expectRefusal(.alreadyExists)
        #expect(try scratch.new.bytes == Array("something of somebody's".utf8))
    }

    @Test("A file at the target that appears before the copy is done stays as well") func occupiedMeanwhile() throws {
        try makeRows(5000)
        Refusal.expect(.alreadyExists) {
            try scratch.adopt { _ in
                try scratch.new.folder.write("new.db", "quicker")
            }
        }
        #expect(try scratch.new.names == ["new.db"])
        #expect(try scratch.new.bytes == Array("quicker".utf8))
    }

    @Test("A progress closure that throws ends the adoption, at the first call and at the last")
    func progress() throws {
        try makeRows(10_000)
        var reported: [JobProgress] = []
        try scratch.adopt { reported.append($0) }
        #expect(reported.map(\.done) == [4096, 8192, 10_000])
        #expect(reported.allSatisfy { $0.total == 10_000 })
        for end in reported {
            let other = try DatabaseScratch()
            #expect(throws: Stop.self) {
                try Adoption(of: scratch.old.path, into: other.path).run(key: other.key()) {
                    if $0 == end { throw Stop() }
                }
            }
            #expect(try other.names == [])
        }
    }

    @Test("An original that is cut off, damaged, missing or a link is refused with the right error")
    func unsound() throws {
        try makeRows(500)
        let whole = try scratch.old.bytes
        try scratch.old.damage { $0.removeLast(4096) }
        try scratch.expectRefusal(.truncated)
        try Bytes.write(whole, to: scratch.old.path)
        try scratch.old.damage {
            $0.replaceSubrange(8192..<8300, with: Array(repeating: 9, count: 108))
        }
        try scratch.expectRefusal(.damaged)
        try Bytes.write(Array("no database at all, whatever it is called".utf8), to: scratch.old.path)
        try scratch.expectRefusal(.truncated)
        try Bytes.write((0..<9000).map { UInt8(truncatingIfNeeded: $0 &* 31) }, to: scratch.old.path)
        let error = try scratch.expectRefusal(.wrongKey)
        #expect(error?.hint != nil)
        try FileManager.default.removeItem(atPath: scratch.old.path.string)
        try scratch.expectRefusal(.notFound)
        try FileManager.default.createSymbolicLink(atPath: scratch.old.path.string, withDestinationPath: "/dev/null")
        Refusal.expect(.notAFile) { try scratch.adopt() }
        #expect(try scratch.new.names == [])
    }

    @Test(
        "A full disk ends the adoption, which frees its space",
        .enabled(if: SmallDisk.isPossible, SmallDisk.missing))
    func fullDisk() throws {
        try makeRows(20_000)
        let disk = try SmallDisk(megabytes: 1)
        defer { disk.unmount() }
        let target = disk.path.appending("new.db")
        Refusal.expect(.full) {
            try Adoption(of: scratch.old.path, into: target).run(key: scratch.new.key())
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path.string) == [])
    }
}
