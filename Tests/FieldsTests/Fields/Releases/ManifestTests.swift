import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct ManifestTests {
    @Test("a release holds, for anyone who can open the file and knows the publisher's public key")
    func holds() throws {
        let bench = try ReleaseWorkbench()
        let made = try bench.release()
        #expect(made.number == 1 && made.dataset == CellWorkbench.dataset)
        #expect(made.tables.map(\.name) == ["film"])
        #expect(made.tables[0].rowCount == 5 && made.tables[0].columnNames == ["title"])
        #expect(made.publisher == bench.pinned)
        let report = try Manifest.check(bench.open(), publisher: Publisher(bench.pinned.description))
        #expect(report.isClean)
        #expect(report.outcomes.map(\.manifest) == [made])
        #expect(report.outcomes.map(\.dataset) == [CellWorkbench.dataset])
        #expect(try Manifest.stored(in: bench.open()) == [made])
        #expect(try Manifest(made.text) == made)
        // Also with the fields keyring, and inside a transaction.
        let connection = try bench.films.open()
        let clean = try connection.write { connection in
            try Manifest.check(connection, publisher: bench.pinned).isClean
        }
        #expect(clean)
    }

    @Test("releases have ascending numbers, and each replaces the one before")
    func numbers() throws {
        let bench = try ReleaseWorkbench()
        #expect(try bench.release(7).number == 7)
        for number: UInt64 in [0, 1, 6, 7, UInt64(Int64.max) + 1, .max] {
            Refusal.expect(.releaseConflict) { try bench.release(number) }
        }
        #expect(try bench.release().number == 8)
        #expect(try bench.release(UInt64(Int64.max)).number == UInt64(Int64.max))
        Refusal.expect(.releaseConflict) { try bench.release() }
        #expect(try Manifest.stored(in: bench.open()).map(\.number) == [UInt64(Int64.max)])
        #expect(try bench.findings() == [])
    }

    @Test("any write to the table requires another release")
    func written() throws {
        let bench = try ReleaseWorkbench()
        try bench.release()
        let connection = try bench.films.open()
        try connection.execute("UPDATE film SET year = 1, note = 'other'")
        #expect(try bench.findings() == [.plainChanged(table: "film")])
        try bench.release()
        #expect(try bench.findings() == [])
        try connection.execute("UPDATE film_open SET title = 'Laura' WHERE id = 2")
        #expect(try bench.findings() == [.rowsChanged(table: "film")])
        try bench.release()
        #expect(try bench.findings() == [])
    }

    @Test("a report says what was compared and what was not")
    func compared() throws {
        let bench = try ReleaseWorkbench()
        try bench.films.open().execute("CREATE INDEX film_year ON film (year)")
        try bench.release()
        let outcome = try Manifest.check(bench.open(), publisher: bench.pinned).outcomes[0]
        let compared = try #require(outcome.compared)
        #expect(
            compared.tables == [
                ManifestReport.Comparison.Table(
                    name: "film", rowCount: 5, columns: ["id", "title", "note", "year"], indexes: ["film_year"])
            ])
        // The table, and the three triggers that guard its column.
        #expect(compared.definitionCount == 4)
        #expect(compared.notCompared == Manifest.omissions && outcome.notice == nil)
        // A missing table was not compared.
        try bench.sabotage("DROP TABLE film")
        let missing = try Manifest.check(bench.open(), publisher: bench.pinned).outcomes[0]
        #expect(missing.compared?.tables == [])
        #expect(missing.findings == [.schemaChanged(definitions: 0, released: 4), .tableMissing("film")])
        // Nothing was compared if the manifest is not the publisher's.
        let stranger = try Rings.make(.fields).publisher()
        let foreign = try Manifest.check(bench.open(), publisher: stranger).outcomes[0]
        #expect(foreign.compared == nil && foreign.notice == nil)
    }

    @Test("a release of version 1 holds as before, with a notice of what it does not cover") func first() throws {
        let bench = try ReleaseWorkbench()
        let made = try bench.release(4, .first)
        #expect(made.formatVersion == 1 && made.notCovered.starts(with: Manifest.firstOmissions))
        try bench.open().execute("UPDATE film SET year = 1")
        try bench.open().execute("CREATE INDEX i ON film (year)")
        let outcome = try Manifest.check(bench.open(), publisher: bench.pinned).outcomes[0]
        #expect(outcome.findings == [])
        let notice = try #require(outcome.notice)
        for omission in Manifest.firstOmissions { #expect(notice.contains(omission)) }
        let compared = try #require(outcome.compared)
        #expect(compared.tables.map(\.columns) == [["id", "title"]])
        #expect(compared.tables.map(\.indexes) == [[]] && compared.definitionCount == nil)
        #expect(compared.notCompared == Manifest.firstOmissions + Manifest.omissions)
        // The next release is of version 2, and its number follows.
        let next = try Manifest.make(bench.publisher.ring, in: bench.open())
        #expect(next.formatVersion == 2 && next.number == 5)
        #expect(try bench.findings() == [])
    }

    @Test("an issued keyring cannot release, nor can one of another dataset or purpose") func powerless() throws {
        let bench = try ReleaseWorkbench()
        let person = try Identity.generate()
        let issued = try bench.publisher.ring.issue(to: person.recipient)
        Refusal.expect(.keyringMismatch) { try Manifest.make(issued, in: bench.open()) }
        Refusal.expect(.keyringMismatch) { try Manifest.make(Rings.make(), in: bench.open()) }
        Refusal.expect(.misuse) { try Manifest.make(Rings.make(.fields), in: bench.open()) }
        let namesake = try Rings.make(.fields, subject: CellWorkbench.dataset)
        Refusal.expect(.keyringMismatch) { try Manifest.make(namesake, in: bench.open()) }
        #expect(try bench.findings() == [.missing])
        #expect(try Manifest.stored(in: bench.open()) == [])
    }

    @Test(
        "a dataset is not released while its columns are in transition, or hold anything but cells")
    func unfinished() throws {
        let bench = try ReleaseWorkbench()
        let connection = try bench.films.open()
        #expect(throws: Stop.self) {
            try connection.protect("note", of: "film", keys: bench.films.keys, batch: 1) { _ in
                throw Stop()
            }
        }
        Refusal.expect(.misuse) { try bench.release() }
        try connection.protect("note", of: "film", keys: bench.films.keys)
        let made = try bench.release()
        #expect(made.tables[0].columnNames == ["title", "note"])
        #expect(try bench.findings() == [])
        for value in ["'The Third Man'", "x'F9'", "7", "zeroblob(60)"] {
            try bench.sabotage("UPDATE film SET note = \(value) WHERE id = 3")
            Refusal.expect(.cellMalformed) { try bench.release() }
        }
        try bench.sabotage("UPDATE film SET note = NULL WHERE id = 3")
        try bench.release()
        #expect(try bench.findings() == [])
    }

    @Test("an unsealed column is not part of a release")
    func unsealed() throws {
        let bench = try ReleaseWorkbench()
        let connection = try bench.films.open()
        try connection.protect("note", of: "film", keys: bench.films.keys)
        try connection.unprotect("title", of: "film", keys: bench.films.keys)
        #expect(try bench.release().tables[0].columnNames == ["note"])
        #expect(try bench.findings() == [])
        try connection.unprotect("note", of: "film", keys: bench.films.keys)
        Refusal.expect(.misuse) { try bench.release() }
    }

    @Test(
        "a manifest that the publisher has not signed blocks a release until it is replaced"
    )
    func foreignInPlace() throws {
        let bench = try ReleaseWorkbench()
        let text = try bench.release().text
        for spoilt in [text.replacing("release 1 ", with: "release 900 "), "", "x\n"] {
            try bench.setText(spoilt)
            Refusal.expect(.signatureInvalid) { try bench.release() }
            #expect(try bench.text() == spoilt)
        }
        #expect(try bench.release(replacingForeign: true).number == 1)
        // After a change of its manifest key, the publisher's own earlier one counts.
        try bench.publisher.ring.addKey(.manifest, state: .pending)
        try bench.publisher.ring.setState(.manifest, version: 2, to: .active)
        Refusal.expect(.releaseConflict) { try bench.release(1) }
        #expect(try bench.release().number == 2)
        #expect(
            try bench.findings() == [.foreignPublisher(bench.publisher.ring.publisher())])
    }

    @Test("programs can read the manifest's table, but not write to it")
    func rights() throws {
        let bench = try ReleaseWorkbench()
        try bench.release()
        let connection = try bench.open()
        for sql: SQL in [
            "DELETE FROM lockstep_manifest", "DROP TABLE lockstep_manifest", "UPDATE lockstep_manifest SET text = ''",
        ] {
            Refusal.expect(.denied) { try connection.execute(sql) }
        }
        #expect(try bench.findings() == [])
    }

    @Test("several datasets of one file are released and checked separately")
    func datasets() throws {
        let bench = try ReleaseWorkbench()
        let other = try Rings.make(.fields, subject: [UInt8](repeating: 0xFF, count: 16))
        let keys = try other.fieldKeys()
        let connection = try bench.films.open([bench.films.keys, keys])
        try connection.protect("note", of: "film", keys: keys)
        try bench.release()
        #expect(try bench.findings() == [.missing])
        #expect(try bench.findings(dataset: CellWorkbench.dataset) == [])
        let second = try Manifest.make(other, in: connection)
        #expect(second.tables[0].columnNames == ["note"])
        #expect(try bench.findings() == [.foreignPublisher(other.publisher())])
        #expect(try Manifest.check(connection, publisher: other.publisher(), dataset: keys.dataset).isClean)
    }

    @Test(
        "a database that was never released has no manifest, nor does one without sealed columns"
    )
    func never() throws {
        let bench = try ReleaseWorkbench()
        #expect(try bench.findings() == [.missing])
        let plain = try Connection.inMemory()
        let report = try Manifest.check(plain, publisher: bench.pinned)
        #expect(report.findings == [.missing])
        #expect(report.outcomes.map(\.dataset) == [nil])
        #expect(try Manifest.stored(in: plain) == [])
    }
}
