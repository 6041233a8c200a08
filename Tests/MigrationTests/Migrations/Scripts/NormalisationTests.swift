import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Columns whose values a migration brings to one form")
struct NormalisationTests {
    private static let setup = """
        CREATE TABLE item (id TEXT PRIMARY KEY, at TEXT, price TEXT, link TEXT);
        INSERT INTO item VALUES
            ('5f0c8a2e-3b64-4b7a-9c0e-1d2f3a4b5c6d', '2026-11-23 20:00:00', '1.50', 'https://a.b/c d'),
            ('5F0C8A2e-3B64-4B7A-9C0E-1D2F3A4B5C6E', '2026-11-24', '-007', 'https://a.b/c'),
            ('0F0C8A2E-3B64-4B7A-9C0E-1D2F3A4B5C6D', NULL, '2', NULL);
        """
    private static let normalised = [
        "0F0C8A2E-3B64-4B7A-9C0E-1D2F3A4B5C6D - 2 -",
        "5F0C8A2E-3B64-4B7A-9C0E-1D2F3A4B5C6D 2026-11-23T20:00:00.000000Z 1.5 https://a.b/c%20d",
        "5F0C8A2E-3B64-4B7A-9C0E-1D2F3A4B5C6E 2026-11-24T00:00:00.000000Z -7 https://a.b/c",
    ]

    private func rows(_ db: borrowing Connection) throws -> [String] {
        try db.query(
            """
            SELECT id || ' ' || coalesce(at, '-') || ' ' || price || ' ' || coalesce(link, '-')
            FROM item ORDER BY id
            """
        ) { row in try row[0] as String }
    }

    @Test(
        "In one transaction, or in batches",
        .enabled(if: StoredForm.all.contains(.url)), arguments: ["", " batch=1", " batch=1000"])
    func normalise(batch: String) throws {
        let db = try Connection.inMemory()
        try Scratch.migrate(
            db, Self.setup,
            """
            -- lockstep: report texts with a space
            -- lockstep: normalise item.at as date\(batch)
            -- lockstep: normalise item.id as uuid\(batch)
            -- lockstep: normalise item.price as decimal\(batch)
            -- lockstep: normalise "item".link as URL\(batch)
            CREATE INDEX item_at ON item (at);
            """)
        #expect(try rows(db) == Self.normalised)
    }

    @Test("A value that is not read fails the version, is not shown, and nothing has changed") func unread() throws {
        let db = try Connection.inMemory()
        try Scratch.migrate(db, Self.setup)
        try db.execute("UPDATE item SET at = 'hunter2' WHERE price = '2'")
        let before = try rows(db)
        let error = Refusal.error(.migrationFailed) {
            try Scratch.migrate(db, Self.setup, "-- lockstep: normalise item.at as date")
        }
        #expect(error?.message.contains("item.at has a value that is not read as a date") == true)
        #expect(error?.message.contains("0002_step.sql") == true)
        #expect(error?.description.contains("hunter2") == false)
        #expect(try rows(db) == before)
    }

    @Test("Two rows that would have one key are refused, and stay")
    func collision() throws {
        let db = try Connection.inMemory()
        try Scratch.migrate(db, Self.setup)
        try db.execute("INSERT INTO item VALUES ('0f0c8a2e-3b64-4b7a-9c0e-1d2f3a4b5c6d', '', '', '')")
        let before = try rows(db)
        Refusal.expect(.migrationFailed) {
            try Scratch.migrate(db, Self.setup, "-- lockstep: normalise item.id as uuid")
        }
        #expect(try rows(db) == before)
    }

    @Test(
        "Other words are no directive",
        arguments: [
            "normalise item as date", "normalise item.at", "normalise item.at as time",
            "normalise item.at as date batch=0", "normalise item.at as date now",
            "normalise item.at as date batch", "normalise item.at.x as date",
        ])
    func malformed(text: String) {
        #expect(Directive(text) == nil)
    }

    @Test("A directive is written as it is read")
    func spelling() throws {
        for text in ["normalise \"item\".\"at\" as date", "normalise \"a b\".\"c\" as uuid batch=10"] {
            let directive = try #require(Directive(text))
            #expect(directive.spelling == text)
            #expect(Directive(directive.spelling) == directive)
        }
    }
}
