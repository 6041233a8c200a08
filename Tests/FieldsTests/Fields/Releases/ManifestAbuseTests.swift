import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// What anyone who can open the file does to a release, some with a field key.
struct ManifestAbuseTests {
    let bench: ReleaseWorkbench

    init() throws {
        bench = try ReleaseWorkbench()
        try bench.release(3)
    }

    /// SQL, and what a check finds afterwards.
    private static let rows: [(sql: String, due: [ManifestReport.Finding])] = [
        ("DELETE FROM film WHERE id = 2", [.rowsMissing(table: "film", 1)]),
        ("DELETE FROM film", [.rowsMissing(table: "film", 5)]),
        ("INSERT INTO film (id, title) SELECT id + 50, title FROM film WHERE id < 3", [.rowsAdded(table: "film", 2)]),
        // The cells of two rows change places.
        (
            "UPDATE film SET title = (SELECT title FROM film AS o WHERE o.id = 3 - film.id) WHERE id < 3",
            [.rowsChanged(table: "film")]
        ),
        // The rows change places.
        (
            "UPDATE film SET id = 99 WHERE id = 1; UPDATE film SET id = 1 WHERE id = 2; "
                + "UPDATE film SET id = 2 WHERE id = 99", [.rowsChanged(table: "film")]
        ),
        ("UPDATE film SET id = 6 WHERE id = 5", [.rowsChanged(table: "film")]),
        ("UPDATE film SET title = x'' WHERE id = 5", [.rowsChanged(table: "film")]),
        ("UPDATE film SET title = CAST(title AS TEXT) WHERE id = 5", [.rowsChanged(table: "film")]),
        ("UPDATE film SET title = title || x'00' WHERE id = 5", [.rowsChanged(table: "film")]),
        ("DROP TABLE film", [.tableMissing("film")]),
        (
            "ALTER TABLE film RENAME TO other; CREATE VIEW film AS SELECT * FROM other",
            [.tableMissing("film")]
        ),
        ("ALTER TABLE film RENAME COLUMN title TO name", [.tableOther("film")]),
        ("ALTER TABLE film RENAME COLUMN id TO number", [.tableOther("film")]),
        (
            "CREATE TABLE t (year INTEGER PRIMARY KEY, id, title, note); "
                + "INSERT INTO t SELECT year, id, title, note FROM film; DROP TABLE film; "
                + "ALTER TABLE t RENAME TO film", [.tableOther("film")]
        ),
        ("DELETE FROM lockstep_manifest", [.missing]),
        ("DROP TABLE lockstep_manifest", [.missing]),
        ("DELETE FROM lockstep_dataset", [.registryMissing]), ("DROP TABLE lockstep_dataset", [.registryMissing]),
        ("UPDATE lockstep_dataset SET changes = 'many'", [.registryMissing]),
        ("UPDATE lockstep_dataset SET mac = zeroblob(32)", [.registryOther]),
        ("UPDATE lockstep_dataset SET mac = x''", [.registryOther]), ("DELETE FROM lockstep_column", [.registryOther]),
        ("DROP TABLE lockstep_column", [.registryOther]),
        ("UPDATE lockstep_column SET state = 'migrating'", [.registryOther]),
        ("UPDATE lockstep_column SET state = 'plaintext'", [.registryOther]),
        ("UPDATE lockstep_column SET name = 'note'", [.registryOther]),
        ("UPDATE lockstep_column SET id = 2", [.registryOther]),
        ("UPDATE lockstep_column SET name = x'FF', table_name = 7", [.registryOther]),
        ("UPDATE lockstep_column SET table_name = '', name = 'film.title'", [.registryOther]),
        (
            "INSERT INTO lockstep_column SELECT dataset, 2, table_name, 'note', mode, padding, state, "
                + "cursor, mac, row_key, identity FROM lockstep_column", [.registryOther]
        ),
    ]

    @Test("no sealed value of a release of version 1 changes unnoticed", arguments: rows)
    func database(_ row: (sql: String, due: [ManifestReport.Finding])) throws {
        try bench.release(4, .first)
        try bench.sabotage(row.sql)
        #expect(try bench.findings(dataset: CellWorkbench.dataset) == row.due)
        #expect(row.due.allSatisfy { !$0.description.isEmpty })
    }

    @Test("an older cell that is put back is noticed, although it opens")
    func replayed() throws {
        try bench.sabotage("CREATE TABLE kept AS SELECT id, title FROM film", restoring: true)
        try bench.films.open().execute("UPDATE film_open SET title = 'Laura' WHERE id = 4")
        try bench.release()
        #expect(try bench.findings() == [])
        try bench.sabotage(
            "UPDATE film SET title = (SELECT title FROM kept WHERE kept.id = 4) WHERE id = 4", restoring: true)
        #expect(
            try bench.films.open().texts("SELECT title FROM film_open WHERE id = 4")
                == ["It Happened One Night"])
        #expect(try bench.findings() == [.rowsChanged(table: "film")])
    }

    @Test("a row that a holder of a field key has forged is noticed, although it opens") func forgedRow() throws {
        let person = try Identity.generate()
        let keys = try bench.publisher.ring.issue(to: person.recipient).fieldKeys()
        let customer = try bench.films.open([keys])
        try customer.execute("INSERT INTO film_open (id, title) VALUES (6, 'Forged')")
        #expect(try bench.findings() == [.rowsAdded(table: "film", 1)])
        try customer.execute("DELETE FROM film_open WHERE id = 1")
        #expect(try bench.findings() == [.rowsChanged(table: "film")])
        #expect(
            try customer.texts("SELECT title FROM film_open WHERE id = 6") == ["Forged"])
    }

    @Test("an older registry put back is noticed, as is another database's, and a newer one") func registry() throws {
        try bench.sabotage(
            "CREATE TABLE old_set AS SELECT * FROM lockstep_dataset; "
                + "CREATE TABLE old_column AS SELECT * FROM lockstep_column", restoring: true)
        let connection = try bench.films.open()
        let released = try bench.release().registryChanges
        try connection.protect("note", of: "film", keys: bench.films.keys)
        guard case .registryNewer(let newer, released)? = try bench.findings().first else {
            Issue.record("it was not newer")
            return
        }
        #expect(newer > released)
        try bench.release()
        #expect(try bench.findings() == [])
        try bench.sabotage(
            "DELETE FROM lockstep_column; INSERT INTO lockstep_column SELECT * FROM old_column; "
                + "REPLACE INTO lockstep_dataset SELECT * FROM old_set", restoring: true)
        #expect(
            try bench.findings() == [.registryOlder(changes: released, released: newer)])
    }

    @Test("an older release put back as a whole is noticed by anyone who remembers a newer one") func older() throws {
        #expect(try bench.findings(least: 3) == [])
        #expect(try bench.findings(least: 4) == [.outdated(number: 3, minimum: 4)])
    }

    @Test("the manifest of another database does not stand in for this one's")
    func otherDatabase() throws {
        let text = try bench.text()
        // Of the same publisher and dataset, with other cells.
        let twin = try ReleaseWorkbench()
        try twin.setUp(like: bench)
        try twin.setText(text)
        let report = try Manifest.check(twin.open(), publisher: bench.pinned)
        #expect(report.findings.contains(.rowsChanged(table: "film")))
        // Of another dataset of the same publisher.
        let connection = try bench.open()
        let other = [UInt8](repeating: 1, count: 16)
        try connection.with(rights: .engine) {
            try connection.execute(
                "UPDATE lockstep_manifest SET dataset = ?", other)
        }
        #expect(try bench.findings(dataset: other) == [.otherDataset])
        #expect(try bench.findings().contains(.missing))
    }

    @Test("a dataset removed with everything that names it is missed by anyone who knows of it") func removed() throws {
        try bench.sabotage("DROP TABLE film; DROP TABLE lockstep_manifest; DROP TABLE lockstep_dataset")
        #expect(try bench.findings() == [.missing])
        #expect(try bench.findings(dataset: CellWorkbench.dataset) == [.missing])
    }

    // MARK: The text

    @Test("no byte of the text can be changed")
    func edited() throws {
        let text = Array(try bench.text().utf8)
        for index in text.indices {
            for bit: UInt8 in [0x01, 0x20] {
                var changed = text
                changed[index] ^= bit
                let manifest = try? ManifestParser.parse(changed)
                if let manifest {
                    let isSigned = try manifest.isSigned()
                    #expect(!isSigned || manifest.publisher != bench.pinned, "byte \(index)")
                }
            }
        }
        for (from, to) in [("release 3 ", "release 4 "), ("film 5 ", "film 4 ")] {
            try bench.setText(String(decoding: text, as: UTF8.self).replacing(from, with: to))
            #expect(try bench.findings() == [.forged])
        }
        try bench.setText(String(decoding: text, as: UTF8.self).replacing("2026-11-22", with: "2026-11-23"))
        #expect(try bench.findings() == [.forged])
    }

    @Test("a signature that is stripped, or someone else's, is noticed")
    func signatures() throws {
        let text = try bench.text()
        let manifest = try Manifest(text)
        let above = String(decoding: manifest.textAboveSignature, as: UTF8.self)
        try bench.setText(above)
        guard case .malformed(let what)? = try bench.findings().first else {
            Issue.record("it was not malformed")
            return
        }
        #expect(what.contains("signature"))
        let forger = try SigningKey(seed: SecretBytes(random: 32))
        let line = try forger.line(over: manifest.textAboveSignature)
        try bench.setText("\(above)\(line.text)\n")
        #expect(try bench.findings() == [.foreignPublisher(forger.publisher)])
        // Under the publisher's name, and a signature that the publisher made for another text.
        let named = SignatureLine(publisher: bench.pinned, signature: line.signature)
        try bench.setText("\(above)\(named.text)\n")
        #expect(try bench.findings() == [.forged])
        let later = try {
            try bench.setText(text); return try bench.release()
        }()
        try bench.setText("\(above)\(later.signature.text)\n")
        #expect(try bench.findings() == [.forged])
        // A keyring's signature is not valid for a manifest.
        let ring = try bench.publisher.ring.issue(to: Identity.generate().recipient)
        let signed = try KeyringParser.parse(ring.encode(epoch: 1, signer: bench.publisher.ring.signingKey()))
        let foreign = try #require(signed.document.signature)
        try bench.setText("\(above)\(foreign.text)\n")
        #expect(try bench.findings() == [.forged])
    }

    @Test("anything else in the manifest's place is reported as malformed or missing") func garbage() throws {
        for sql in [
            "UPDATE lockstep_manifest SET text = ''", "UPDATE lockstep_manifest SET text = 7",
            "UPDATE lockstep_manifest SET text = zeroblob(100)", "UPDATE lockstep_manifest SET text = text || char(0)",
            "UPDATE lockstep_manifest SET text = text || text", "UPDATE lockstep_manifest SET text = zeroblob(3000000)",
        ] {
            let bench = try ReleaseWorkbench(rows: 1)
            try bench.release()
            try bench.sabotage(sql)
            guard case .malformed? = try bench.findings().first else {
                Issue.record("\(sql)")
                continue
            }
        }
    }
}

extension ReleaseWorkbench {
    /// Copies another database's registry, so that only the rows differ.
    fileprivate func setUp(like other: ReleaseWorkbench) throws {
        let source = try other.open()
        let mark = try #require(try RegistryMark(CellWorkbench.dataset, source))
        let connection = try open()
        try release()
        try connection.with(rights: .engine) {
            try connection.execute("UPDATE lockstep_dataset SET changes = ?, mac = ?", Int64(mark.changes), mark.code)
        }
    }
}
