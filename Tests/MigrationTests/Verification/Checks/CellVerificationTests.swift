import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct CellVerificationTests {
    let bench: SealedTableWorkbench

    init() throws { bench = try SealedTableWorkbench(rows: 60) }

    private func protect() throws {
        let connection = try bench.open()
        try connection.protect("title", of: "film", keys: bench.keys, indexes: [.init(.exact)], batch: 50)
        try connection.protect("note", of: "film", keys: bench.keys, mode: .deterministic)
    }

    /// An operator with the database key and without the fields keyring.
    private func tamper(_ sql: String) throws {
        let connection = try bench.open([])
        try connection.with(rights: .engine) { try connection.run(script: sql) }
    }

    private func verify(
        _ keys: [FieldKeys]? = nil, sample: Int? = nil
    ) throws -> VerificationReport {
        var verification = Verification(bench.path, sets: [])
        verification.fieldKeys = keys ?? [bench.keys]
        verification.cellSample = sample
        return try verification.run(key: bench.databaseKey())
    }

    private func outcome(
        _ check: VerificationReport.Check, _ report: VerificationReport
    ) throws -> VerificationReport.Outcome {
        try #require(report.outcomes.first { $0.check == check })
    }

    /// The defects of sealed cells. The schema comes from no migrations, which the drift check reports.
    private func failures(_ report: VerificationReport) -> [String] {
        report.outcomes.filter { [.registry, .cells].contains($0.check) }.flatMap(\.findings)
            .filter(\.isFailure).map(\.message)
    }

    @Test(
        "intact cells are verified, completely and by a sample",
        arguments: [nil, 1, 10, 1000])
    func sound(sample: Int?) throws {
        try protect()
        let report = try verify(sample: sample)
        #expect(failures(report) == [])
        let cells = try outcome(.cells, report)
        #expect(cells.summary.contains("of 2 columns opened"))
        if sample == nil { #expect(cells.summary.hasPrefix("120 cells")) }
        #expect(try outcome(.registry, report).summary == "2 sealed columns proven")
    }

    @Test(
        "each way to corrupt a cell is found, with its row and never its value",
        arguments: [
            ("UPDATE film SET title = (SELECT title FROM film WHERE id = 8) WHERE id = 7", "not authentic", "row 7"),
            ("UPDATE film SET title = substr(title, 1, length(title) - 1) WHERE id = 7", "not authentic", "row 7"),
            (
                "UPDATE film SET title = CAST(substr(title, 1, 40) || x'00' || substr(title, 42) AS BLOB) WHERE id = 7",
                "not", "row 7"
            ),
            (
                "DROP TRIGGER lockstep_sealed_film_title_update; UPDATE film SET title = 'Gilda' WHERE id = 7",
                "not sealed", "row 7"
            ),
            (
                "DROP TRIGGER lockstep_sealed_film_title_update; UPDATE film SET title = x'' WHERE id = 7",
                "not sealed", "row 7"
            ), ("UPDATE film SET title_exact_token = title_exact_token + 1 WHERE id = 7", "blind index", "row 7"),
            (
                "UPDATE film SET title_exact_token = NULL WHERE id IN (7, 9)",
                "2 cells of film.title with a blind index", "row 7, 9"
            ),
            (
                "UPDATE film SET note = CAST(x'FD00000003' || randomblob(30) AS BLOB) WHERE id = 7",
                "film.note not authentic", "row 7"
            ),
            (
                "DROP TRIGGER lockstep_sealed_film_title_key; UPDATE film SET id = 700 WHERE id = 7",
                "not authentic", "row 700"
            ),
            (
                "UPDATE film SET title = CAST(x'FC00000009' || substr(title, 6) AS BLOB) WHERE id = 7",
                "under a key that the keyring does not have", "row 7"
            ),
        ])
    func tampered(sql: String, message: String, row: String) throws {
        try protect()
        try tamper(sql)
        let report = try verify()
        let cells = try outcome(.cells, report)
        #expect(cells.hasFailed)
        let messages = cells.findings.map(\.message)
        #expect(messages.contains { $0.contains(message) && $0.contains(row) }, "\(messages)")
        // Without keys this is undetectable.
        #expect(try !verify([]).outcomes.contains { $0.check == .cells })
    }

    @Test("a forged registry and lost guards fail it, and the other checks still run") func registry() throws {
        try protect()
        try tamper("DROP TRIGGER lockstep_sealed_film_note_update")
        #expect(try outcome(.registry, verify()).hasFailed)
        try tamper("UPDATE lockstep_column SET state = 'migrating'")
        let report = try verify()
        for check in [VerificationReport.Check.registry, .cells] {
            #expect(try outcome(check, report).obstacle?.code == .registryForged)
        }
        #expect(try !outcome(.integrity, report).hasFailed)
        #expect(try !outcome(.pages, report).hasFailed)
    }

    @Test("without the keys it reports what is only claimed, and what is under way")
    func notices() throws {
        try protect()
        let claimed = try outcome(.registry, verify([]))
        #expect(!claimed.hasFailed)
        #expect(claimed.findings.map(\.message).joined().contains("film.title, film.note: claimed to be sealed"))
        do {
            let connection = try bench.open()
            #expect(throws: Stop.self) {
                try connection.unprotect("title", of: "film", keys: bench.keys, batch: 7) { _ in
                    throw Stop()
                }
            }
        }
        let report = try verify()
        #expect(failures(report) == [])
        #expect(
            try outcome(.registry, report).findings.map(\.message).joined()
                .contains("film.title is unsealing"))
    }

    @Test(
        "each cell is opened once however many parts the rows are read in, and a forged one is found in any",
        arguments: [1, 2, 7, 20, 59, 60] as [Int64])
    func pieces(length: Int64) throws {
        try protect()
        // Rowids with gaps, and a border in one of the gaps.
        try bench.open().execute("DELETE FROM film WHERE id BETWEEN 20 AND 31")
        var options = ConnectionOptions()
        options.isQueryOnly = true
        options.addition = SealedFields([bench.keys], hasViews: false)
        var check = CellsCheck(
            path: bench.path, key: SharedSecret(try bench.databaseKey()), options: options,
            sample: nil, closing: WaitCondition())
        check.pieceLength = length
        let sound = try check.run { _, _ in }
        #expect(sound.summary == "96 cells of 2 columns opened")
        #expect(sound.findings.isEmpty)
        try tamper("UPDATE film SET title = (SELECT title FROM film WHERE id = 1) WHERE id > 1")
        let messages = try check.run { _, _ in }.findings.map(\.message)
        #expect(messages.contains { $0.hasPrefix("47 cells of film.title not authentic") }, "\(messages)")
    }

    @Test("tables without rows, and with rows at the limits of all numbers, are read completely")
    func borders() throws {
        let connection = try bench.open()
        try connection.run(
            script: """
                DELETE FROM film;
                CREATE TABLE wide (id INTEGER PRIMARY KEY, x);
                INSERT INTO wide VALUES (-9223372036854775808, 'a'), (0, 'b'), (9223372036854775807, 'c');
                CREATE TABLE named (k TEXT PRIMARY KEY NOT NULL, x) WITHOUT ROWID;
                INSERT INTO named VALUES ('one', 'a'), ('two', NULL);
                """)
        try connection.protect("title", of: "film", keys: bench.keys)
        try connection.protect("x", of: "wide", keys: bench.keys, batch: 1)
        try connection.protect("x", of: "named", keys: bench.keys)
        let report = try verify()
        #expect(failures(report) == [])
        #expect(try outcome(.cells, report).summary == "5 cells of 2 columns opened")
        try connection.with(rights: .engine) {
            try connection.execute("UPDATE named SET x = CAST(x AS TEXT) WHERE k = 'one' AND 0")
        }
    }
}
