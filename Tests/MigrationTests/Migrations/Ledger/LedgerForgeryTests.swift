import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// The operator changes the migration records in the database. No field keys are given here, so only the files
/// can reveal it.
@Suite("A forged ledger beside its files")
struct LedgerForgeryTests {
    /// A change, and its expected result.
    struct Forgery: CustomTestStringConvertible, Sendable {
        let name: String
        let sql: String
        /// The error from migrating up.
        let forward: LockstepError.Code?
        /// The error from undoing the newest version.
        let back: LockstepError.Code?
        /// A part of the verification's findings; empty for none.
        let verdict: String

        init(
            _ name: String, _ sql: String, _ forward: LockstepError.Code?,
            _ back: LockstepError.Code?, _ verdict: String
        ) {
            (self.name, self.sql, self.forward, self.back, self.verdict) = (
                name, sql, forward, back, verdict
            )
        }

        var testDescription: String { name }
    }

    private static func update(_ assignment: String, _ version: Int = 3) -> String {
        "UPDATE lockstep_migration SET \(assignment) WHERE \"set\" = 'films' AND version = '\(version)';"
    }

    private static func row(
        _ set: String, _ version: String, name: String = "extra", position: String = "NULL"
    ) -> String {
        """
        INSERT INTO lockstep_migration (position, "set", version, name, checksum_bytes, checksum_text,
            checksum_tokens, down, applied_at, duration, tool_version)
        SELECT \(position), '\(set)', '\(version)', '\(name)', checksum_bytes, checksum_text, checksum_tokens,
            '\(LedgerVictim.planted)', applied_at, duration, tool_version
        FROM lockstep_migration WHERE position = 1;
        """
    }

    private static func progress(
        _ version: String, isUp: Int, from: String = "films", segment: String = "0"
    ) -> String {
        """
        CREATE TABLE lockstep_progress ("set", version, name, checksum_bytes, checksum_text, checksum_tokens, down,
            is_up, segment, cursor, started_at, PRIMARY KEY ("set", version));
        INSERT INTO lockstep_progress SELECT "set", version, name, checksum_bytes, checksum_text, checksum_tokens,
            '\(LedgerVictim.planted)', \(isUp), \(segment), NULL, 0
        FROM lockstep_migration WHERE "set" = '\(from)' AND version = '\(version)';
        """
    }

    /// Without the table's own constraints, which anyone who writes the schema can omit.
    private static let loose = """
        CREATE TABLE lockstep_copy AS SELECT * FROM lockstep_migration;
        DROP TABLE lockstep_migration;
        ALTER TABLE lockstep_copy RENAME TO lockstep_migration;
        """

    private static let planted = "char(10) || '\(LedgerVictim.planted)'"

    static let forgeries = [
        Forgery("another name", update("name = 'better'"), .migrationChanged, .migrationChanged, "different name"),
        Forgery(
            "a way down replaced", update("down = \(planted)"), .migrationChanged,
            .migrationChanged,
            "different way down"),
        Forgery(
            "a way down removed", update("down = NULL"), .migrationChanged, .migrationChanged, "different way down"),
        Forgery("a way down emptied", update("down = ''"), .migrationChanged, .migrationChanged, "different way down"),
        Forgery(
            "a way down appended to", update("down = down || \(planted)"), .migrationChanged,
            .migrationChanged, "different way down"),
        Forgery(
            "spacing alone, in a way down whose file is untouched", update("down = down || ' '"),
            .migrationChanged, .migrationChanged, "different way down"),
        Forgery(
            "a comment that is a directive",
            update("down = '-- lockstep: foreign keys off' || char(10) || down"),
            .migrationChanged, .migrationChanged, "different way down"),
        Forgery(
            "the way down of an older version", update("down = \(planted)", 1), .migrationChanged,
            nil,
            "0001_film.sql has a different way down"),
        Forgery(
            "a checksum of the text", update("checksum_text = randomblob(32)"), .migrationChanged,
            .migrationChanged, "contradict each other"),
        Forgery(
            "a checksum of the tokens", update("checksum_tokens = randomblob(32)"),
            .migrationChanged,
            .migrationChanged, "contradict each other"),
        Forgery("a checksum of the bytes", update("checksum_bytes = randomblob(32)"), nil, nil, "only in line endings"),
        Forgery(
            "all checksums",
            update(
                "checksum_bytes = zeroblob(32), checksum_text = zeroblob(32), checksum_tokens = zeroblob(32)"
            ),
            .migrationChanged, .migrationChanged, "0003_note.sql has changed since"),
        Forgery(
            "the checksums of another version",
            """
            UPDATE lockstep_migration AS a SET (checksum_bytes, checksum_text, checksum_tokens) =
                (SELECT checksum_bytes, checksum_text, checksum_tokens FROM lockstep_migration WHERE position = 1)
            WHERE "set" = 'films' AND version = '3';
            """, .migrationChanged, .migrationChanged, "0003_note.sql has changed since"),
        Forgery(
            "a checksum of another length", update("checksum_bytes = x'00'"), .tampered, .tampered, "invalid checksum"),
        Forgery(
            "a version that no file has", row("films", "9"), .migrationMissing, .migrationMissing, "its file is gone"),
        Forgery("a row of a set that nobody gave", row("music", "1"), nil, nil, "the set music was applied"),
        Forgery(
            "a row of the other set copied in", row("films", "4", name: "shelf"), .migrationMissing,
            .migrationMissing, "its file is gone"),
        Forgery(
            "the same version in another spelling", row("films", "03", name: "note"), .tampered,
            .tampered,
            "invalid version"),
        Forgery(
            "a version that is none", row("films", "x"), .tampered, .tampered,
            "invalid version"),
        Forgery(
            "a version twice", loose + row("films", "3", name: "note", position: "77"), .tampered,
            .tampered,
            "a version twice"),
        Forgery("a position twice", loose + row("films", "9", position: "3"), .tampered, .tampered, "invalid position"),
        Forgery("a position before the first", update("position = -5"), .tampered, .tampered, "invalid position"),
        Forgery("the last place that there is", update("position = 9223372036854775807"), nil, nil, ""),
        Forgery(
            "another order", "UPDATE lockstep_migration SET position = 99 WHERE \"set\" = 'films' AND version = '1';",
            nil, nil, "films 1 was applied after 3"),
        Forgery(
            "the newest row removed", "DELETE FROM lockstep_migration WHERE \"set\" = 'films' AND version = '3';",
            .migrationFailed, nil,
            "not applied yet"),
        Forgery(
            "a row in the middle removed", "DELETE FROM lockstep_migration WHERE \"set\" = 'films' AND version = '2';",
            .outOfOrder, nil,
            "was never applied"),
        Forgery("all rows removed", "DELETE FROM lockstep_migration;", .migrationFailed, nil, "user_version"),
        Forgery("the table removed", "DROP TABLE lockstep_migration;", .migrationFailed, nil, "user_version"),
        Forgery("a duration below zero", update("duration = -1"), .tampered, .tampered, "invalid duration"),
        Forgery("a name that is no text", update("name = x'80ff'"), .tampered, .tampered, "value of the wrong type"),
        Forgery(
            "a time that is a text", update("applied_at = 'never'"), .tampered, .tampered, "value of the wrong type"),
        Forgery(
            "an applied version noted as begun", progress("3", isUp: 1), .tampered, .tampered, "recorded as unfinished"),
        Forgery(
            "an applied version noted as being undone, by another way", progress("3", isUp: 0),
            .tampered, .tampered,
            "recorded as unfinished"),
        Forgery(
            "a version that begins before its beginning", progress("3", isUp: 1, segment: "-1"),
            .tampered,
            .tampered, "contains an invalid"),
        Forgery(
            "a begun version with another way down",
            progress("3", isUp: 1) + "DELETE FROM lockstep_migration WHERE \"set\" = 'films' AND version = '3';",
            .migrationChanged, .migrationChanged, "different way down"),
        Forgery(
            "a version being undone that was never applied",
            progress("3", isUp: 0) + "DELETE FROM lockstep_migration WHERE \"set\" = 'films' AND version = '3';",
            .tampered, .tampered, "recorded as unfinished"),
    ]

    @Test("Verification names it, running is refused, and none of it runs", arguments: forgeries)
    func forgery(_ forgery: Forgery) throws {
        let victim = try LedgerVictim()
        let before = try victim.database()
        #expect(try victim.verdict(before) == [])
        for isBack in [false, true] {
            let connection = try victim.database()
            try LedgerVictim.forge(forgery.sql, connection)
            let verdict = try victim.verdict(connection)
            // A change that keeps the order of application is not reported.
            #expect(
                forgery.verdict.isEmpty ? verdict.isEmpty : verdict.contains { $0.contains(forgery.verdict) },
                "\(verdict)")
            let code = try victim.refusal(of: isBack ? .back(1) : .latest, connection)
            #expect(code == (isBack ? forgery.back : forgery.forward))
            try victim.tryEverything(connection)
            #expect(try LedgerVictim.strangers(connection) == [])
        }
    }

    static let repeatables = [
        Forgery(
            "a checksum of the text", "checksum_text = randomblob(32)", .migrationChanged, nil, "contradict each other"),
        Forgery(
            "a checksum of the tokens", "checksum_tokens = randomblob(32)", .migrationChanged, nil,
            "contradict each other"),
        Forgery(
            "all checksums",
            "checksum_bytes = zeroblob(32), checksum_text = zeroblob(32), checksum_tokens = zeroblob(32)",
            nil, nil,
            "has not run yet"),
        Forgery("a checksum of the bytes", "checksum_bytes = randomblob(32)", nil, nil, "only in line endings"),
        Forgery(
            "bytes and text", "checksum_bytes = randomblob(32), checksum_text = randomblob(32)",
            nil, nil,
            "only in comments or white space"),
        Forgery("another name", "name = 'other'", nil, nil, "is gone"),
        Forgery("a set that nobody gave", "\"set\" = 'other'", nil, nil, "has not run yet"),
        Forgery("no blob", "checksum_text = 'text'", .tampered, .tampered, "value of the wrong type"),
    ]

    @Test("The same holds for repeatable migrations", arguments: repeatables)
    func repeatable(_ forgery: Forgery) throws {
        let victim = try LedgerVictim()
        let connection = try victim.database()
        try LedgerVictim.forge("UPDATE lockstep_repeatable SET \(forgery.sql);", connection)
        let verdict = try victim.verdict(connection)
        #expect(verdict.contains { $0.contains(forgery.verdict) }, "\(verdict)")
        #expect(try victim.refusal(of: .latest, connection, victim.sets[1]) == forgery.forward)
        try victim.tryEverything(connection)
        #expect(try LedgerVictim.strangers(connection) == [])
    }

    @Test(
        "A way down in its own file: comments and white space are a notice, statements are drift")
    func ownFile() throws {
        let victim = try LedgerVictim()
        let connection = try victim.database()
        func set(_ down: String) throws -> MigrationSet {
            try MigrationSet(
                name: "shelves", layout: .flyway,
                files: LedgerVictim.otherFiles.map {
                    $0.name.hasPrefix("U") ? (name: $0.name, content: down) : $0
                })
        }
        for harmless in ["DROP  TABLE shelf; -- gone\n", "drop table shelf;\r\n"] {
            let plan = try Migrator(set(harmless)).plan(.latest, on: connection)
            #expect(plan.findings.map(\.isFatal) == [false])
            let message = plan.findings.first?.error.message
            #expect(message?.contains("only in comments or white space") == true)
        }
        let other = try set("DROP TABLE IF EXISTS shelf;\n")
        let error = #expect(throws: LockstepError.self) { try Migrator(other).run(on: connection) }
        #expect(error?.code == .migrationChanged)
        #expect(
            error?.message == "U1__shelf.sql has a different way down than the ledger records")
        #expect(error?.hint?.contains("restore the original file") == true)
    }

    @Test("Edits of comments and white space, also in the way down, are still a notice") func harmlessEdits() throws {
        let victim = try LedgerVictim()
        let connection = try victim.database()
        for edit in [
            { (text: String) in
                text.replacing("DROP TABLE note;", with: "-- why\nDROP\n  TABLE note ;")
            },
            { $0.replacing("\n", with: "\r\n") }, { $0 + "\n\n" },
        ] {
            let files = LedgerVictim.files.map { (name: $0.name, content: edit($0.content)) }
            let set = try MigrationSet(name: "films", files: files)
            let plan = try Migrator(set).plan(.latest, on: connection)
            #expect(!plan.findings.isEmpty && !plan.findings.contains(where: \.isFatal))
            // The file is the one that was applied, so it undoes the version.
            let back = try Migrator(set).plan(.back(1), on: connection)
            #expect(back.steps.count == 1)
        }
    }
}
