import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Values that are too long for SQL.
@Suite("Large cells")
struct LargeCellTests {
    let bench: SealedBlobWorkbench
    private static let count = 40 << 20
    private static let piece = SealedBlobWorkbench.bytes(1 << 20)

    init() throws { bench = try SealedBlobWorkbench() }

    /// Each MiB has its number in its first byte.
    private static func piece(_ number: Int) -> [UInt8] {
        var piece = piece
        piece[0] = UInt8(truncatingIfNeeded: number)
        return piece
    }

    private func write(_ connection: borrowing Connection, toReel row: Int64) throws {
        var number = 0
        try connection.writeSealedBlob(SealedBlobWorkbench.place(row), count: Self.count) {
            guard number << 20 < Self.count else { return nil }
            defer { number += 1 }
            return Self.piece(number)
        }
    }

    private func expectWhole(_ connection: borrowing Connection, inReel row: Int64) throws {
        try connection.withSealedBlob(SealedBlobWorkbench.place(row)) { blob in
            let count = blob.count
            #expect(count == Self.count)
            var number = 0
            try blob.forEachChunk(of: 1 << 20) { piece in
                let isRight = piece == Self.piece(number)
                #expect(isRight, "MiB \(number)")
                number += 1
            }
            #expect(number == 40)
        }
    }

    @Test("40 MiB are written and read; SQL refuses to open them and says how to")
    func large() throws {
        let connection = try bench.open()
        try write(connection, toReel: 1)
        try expectWhole(connection, inReel: 1)
        // Each needs the value, named or not.
        try connection.execute("CREATE TABLE log (number, title, data)")
        let needing = [
            "SELECT data FROM reel_open", "SELECT * FROM reel_open",
            "SELECT length(\"data\") FROM reel_open WHERE id = 1",
            "UPDATE reel_open SET name = length(data) WHERE id = 1", "UPDATE reel_open SET id = 7 WHERE id = 1",
            "UPDATE reel_open SET name = 'x' WHERE id = 1 AND data NOT NULL",
            "UPDATE reel_open SET name = 'x' WHERE id = 1 RETURNING *",
            "DELETE FROM reel_open WHERE id = 1 AND [DATA] IS NOT 5", "INSERT INTO log SELECT * FROM reel_open",
            "UPDATE reel_open SET name = 'x' WHERE id IN (SELECT a.id FROM reel_open a NATURAL JOIN log)",
        ]
        for sql in needing {
            do {
                _ = try connection.query(SQL(verbatim: sql)) { _ in 0 }
                Issue.record("\(sql) was run")
            } catch let error as LockstepError {
                #expect(error.code == .tooLarge)
                for name in ["withSealedBlob", "sealedChunks"] {
                    #expect(error.hint?.contains(name) == true)
                }
            }
        }
        // Operations that do not need the value work.
        #expect(try connection.texts("SELECT name FROM reel_open") == ["reel 1", "reel 2"])
        try connection.execute("UPDATE reel SET name = 'x' WHERE id = 1")
        try connection.execute("UPDATE reel_open SET name = 'y' || name WHERE id = ?", 1)
        #expect(connection.changes == 1)
        #expect(try connection.texts("SELECT name FROM reel_open") == ["yx", "reel 2"])
        try expectWhole(connection, inReel: 1)
        // While another statement that needs the value of another row is being read.
        try connection.forEachRow(needing: "SELECT data, id FROM reel_open WHERE id = 2") {
            Refusal.expect(.tooLarge) {
                try connection.execute("UPDATE reel_open SET name = 'z' WHERE id = 1")
            }
        }
        let capability = try connection.capability(of: "data", in: "reel")
        let whole: SQL = "SELECT length(lockstep_open_whole(\(capability), data, id)) FROM reel"
        #expect(try connection.value(whole, as: Int.self) == Self.count)
        try connection.execute(
            "DELETE FROM reel_open WHERE id = 1 AND (SELECT count(*) FROM reel_open) = 2 RETURNING id")
        #expect(try connection.texts("SELECT name FROM reel") == ["reel 2"])
    }

    @Test("A blind index needs the value in an UPDATE, and a view of the program's can need it")
    func companions() throws {
        let connection = try bench.open(indexes: [.init(.exact)])
        let bytes = [UInt8](repeating: 7, count: 16 << 20 + 1)
        try connection.execute("UPDATE reel_open SET data = ? WHERE id = 2", bytes)
        Refusal.expect(.tooLarge) {
            try connection.execute("UPDATE reel_open SET name = 'x' WHERE id = 2")
        }
        try connection.execute("CREATE TEMP VIEW lengths AS SELECT length(data) AS n FROM reel_open")
        let sql: SQL = "DELETE FROM reel_open WHERE id = 2 AND (SELECT max(n) FROM lengths) > 0"
        Refusal.expect(.tooLarge) { try connection.execute(sql) }
        try connection.execute("DROP VIEW lengths")
        try connection.execute("DELETE FROM reel_open WHERE id = 2")
        #expect(try connection.texts("SELECT name FROM reel") == ["reel 1"])
    }

    @Test(
        "What can need a column: its name in any spelling, `*` in a list of results, a natural join",
        arguments: [
            ("SELECT data FROM t", true), ("SELECT \"DATA\", 1", true), ("SELECT t.'data'", true),
            ("SELECT `data`", true), ("SELECT 1, *", true), ("SELECT t.* FROM t", true), ("SELECT DISTINCT *", true),
            ("SELECT a FROM t natural JOIN u", true), ("DELETE FROM t RETURNING *", true), ("SELECT (a, b) IN t", true),
            ("SELECT a IN /* of */ \"t\"", true), ("SELECT a IN (1, b), \"in\" t", false),
            ("SELECT /* data */ count(*), 2 * a FROM t", false), ("SELECT :data, a, (a) * 2 -- data", false),
            ("SELECT database, data2", false), ("SELECT x'6461', \"natural\"", false),
        ])
    func needs(sql: String, isNeeded: Bool) {
        #expect(UnopenedCells.canNeed("data", sql) == isNeeded)
    }

    @Test("SQL opens up to 16 MiB, and not one byte more", arguments: [0, 1])
    func limit(more: Int) throws {
        let connection = try bench.open()
        let bytes = [UInt8](repeating: 7, count: 16 << 20 + more)
        try connection.execute("UPDATE reel_open SET data = ? WHERE id = 2", bytes)
        let code = try Refusal.code {
            let length: SQL = "SELECT length(data) FROM reel_open WHERE id = 2"
            let found = try connection.value(length, as: Int.self)
            #expect(found == bytes.count)
        }
        #expect(code == (more == 0 ? nil : .tooLarge))
    }

    @Test("values of any size are verified, sealed under a new key and unsealed")
    func allTheWay() throws {
        let connection = try bench.open(rows: 4)
        for row: Int64 in [1, 2] { try write(connection, toReel: row) }
        let small = SealedBlobWorkbench.bytes(30_000)
        try connection.write(small, toReel: 3)
        let text = String(repeating: "film ", count: 1 << 18)
        try connection.execute("UPDATE reel_open SET data = ? WHERE id = 4", text)

        let newer = try CellWorkbench.keys(active: 4, retired: [3])
        let other = try bench.films.open([newer])
        // Stopped after its first batch, which consists of one large value.
        #expect(throws: Stop.self) {
            try other.reseal("data", of: "reel", keys: newer) { progress in
                #expect(progress.done == 1)
                throw Stop()
            }
        }
        func versions() throws -> [String?] {
            try other.texts("SELECT hex(substr(data, 1, 5)) FROM reel ORDER BY id")
        }
        #expect(try versions() == ["FE00000004", "FE00000003", "FE00000003", "FC00000003"])
        try other.reseal("data", of: "reel", keys: newer)
        #expect(try versions() == ["FE00000004", "FE00000004", "FC00000004", "FC00000004"])
        for row: Int64 in [1, 2] { try expectWhole(other, inReel: row) }
        let read = try other.readReel(3)
        #expect(read == small)
        #expect(try other.texts("SELECT data FROM reel_open WHERE id = 4") == [text])

        var verification = Verification(bench.films.path, sets: [])
        verification.fieldKeys = [newer]
        func findings() throws -> [String] {
            let report = try verification.run(key: bench.films.databaseKey())
            let cells = try #require(report.outcomes.first { $0.check == .cells })
            #expect(cells.summary == "4 cells of 1 column opened")
            return cells.findings.map(\.message)
        }
        #expect(try findings() == [])
        try other.write { connection in
            try connection.withBlob(SealedBlobWorkbench.place(1), .write) { blob in
                try blob.write([0, 0, 0, 0], at: 30 << 20)
            }
        }
        #expect(try findings() == ["1 cell of reel.data not authentic: forged, or moved from elsewhere: row 1"])
        try other.execute("DELETE FROM reel WHERE id = 2")
        try write(other, toReel: 1)
        try other.unprotect("data", of: "reel", keys: newer)
        let last: SQL = "SELECT length(data), substr(data, ?, 1) FROM reel WHERE id = 1"
        let found = try other.query(last, 39 << 20 + 1, as: (Int, [UInt8]).self)
        #expect(found.first?.0 == Self.count)
        #expect(found.first?.1 == [39])
        // And back, from plaintext of that length.
        try other.protect("data", of: "reel", keys: newer)
        try expectWhole(other, inReel: 1)
    }

    @Test("an error while a large value is sealed again leaves the old one")
    func resealingFails() throws {
        let connection = try bench.open()
        try write(connection, toReel: 1)
        try connection.write { connection in
            try connection.withBlob(SealedBlobWorkbench.place(1), .write) { blob in
                try blob.write([0], at: 39 << 20)
            }
        }
        let newer = try CellWorkbench.keys(active: 4, retired: [3])
        let other = try bench.films.open([newer])
        func beginning() throws -> [String?] {
            try other.texts("SELECT hex(substr(data, 1, 70)) FROM reel WHERE id = 1")
        }
        let before = try beginning()
        Refusal.expect(.cellForged) { try other.reseal("data", of: "reel", keys: newer) }
        #expect(try beginning() == before)
    }

    @Test("if this process ends while it writes 40 MiB, another process finds the old value") func killed() throws {
        let connection = try bench.open()
        let old = SealedBlobWorkbench.bytes(100_000)
        try connection.write(old, toReel: 1)
        let folder = try TemporaryFolder()
        var copies = 0
        #expect(throws: Stop.self) {
            var number = 0
            try connection.writeSealedBlob(SealedBlobWorkbench.place(1), count: Self.count) {
                number += 1
                // By then, much of the new value is in the log.
                guard [7, 23, 40].contains(number) else { return Self.piece(number) }
                copies += 1
                for side in ["", "-wal"] {
                    let bytes = try FileAccess.read(DatabaseFile.side(side, of: bench.films.path), limit: 1 << 30)
                    try AtomicFile.write(
                        bytes, to: folder.path.appending("\(copies).db\(side)"))
                }
                if copies == 3 { throw Stop() }
                return Self.piece(number)
            }
        }
        var options = ConnectionOptions()
        options.fieldKeys = [bench.keys]
        #expect(copies == 3)
        for copy in 1...copies {
            let left = try Connection.open(
                folder.path.appending("\(copy).db"), key: bench.films.databaseKey(), options: options)
            let read = try left.readReel(1)
            #expect(read == old)
        }
        let read = try connection.readReel(1)
        #expect(read == old)
    }
}

extension Connection {
    /// Runs `body` while rows of `sql` are being read.
    fileprivate func forEachRow(needing sql: SQL, _ body: () throws -> Void) throws {
        try prepare(sql).forEach { _ in try body() }
    }
}
