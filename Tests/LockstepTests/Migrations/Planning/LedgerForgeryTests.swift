import Testing

@testable import Lockstep

/// The operator changes what the database remembers of migrations. Nobody has field keys here, so only the files can
/// show it.
@Suite("A forged ledger beside its files")
struct LedgerForgeryTests {
    /// A change, and what is to come of it.
    struct Forgery: CustomTestStringConvertible, Sendable {
        let name: String
        let sql: String
        /// What going forward is refused with.
        let forward: LockstepError.Code?
        /// What undoing the newest version is refused with.
        let back: LockstepError.Code?
        /// What verification says, in part; empty for nothing.
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

    /// Without the table's own constraints, which anyone who writes the schema can leave out.
    private static let loose = """
        CREATE TABLE lockstep_copy AS SELECT * FROM lockstep_migration;
        DROP TABLE lockstep_migration;
        ALTER TABLE lockstep_copy RENAME TO lockstep_migration;
        """

    private static let planted = "char(10) || '\(LedgerVictim.planted)'"

    static let forgeries = [
        Forgery(
            "another name", update("name = 'better'"), .migrationChanged, .migrationChanged,
            "another name"),
        Forgery(
            "a way down replaced", update("down = \(planted)"), .migrationChanged,
            .migrationChanged,
            "another way down"),
        Forgery(
            "a way down removed", update("down = NULL"), .migrationChanged, .migrationChanged,
            "another way down"),
        Forgery(
            "a way down emptied", update("down = ''"), .migrationChanged, .migrationChanged,
            "another way down"),
        Forgery(
            "a way down appended to", update("down = down || \(planted)"), .migrationChanged,
            .migrationChanged, "another way down"),
        Forgery(
            "spacing alone, in a way down whose file is untouched", update("down = down || ' '"),
            .migrationChanged, .migrationChanged, "another way down"),
        Forgery(
            "a comment that is a directive",
            update("down = '-- lockstep: foreign keys off' || char(10) || down"),
            .migrationChanged, .migrationChanged, "another way down"),
        Forgery(
            "the way down of an older version", update("down = \(planted)", 1), .migrationChanged,
            nil,
            "0001_film.sql has another way down"),
        Forgery(
            "a checksum of the text", update("checksum_text = randomblob(32)"), .migrationChanged,
            .migrationChanged, "contradict each other"),
        Forgery(
            "a checksum of the tokens", update("checksum_tokens = randomblob(32)"),
            .migrationChanged,
            .migrationChanged, "contradict each other"),
        Forgery(
            "a checksum of the bytes", update("checksum_bytes = randomblob(32)"), nil, nil,
            "in line endings only"),
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
            "a checksum of another length", update("checksum_bytes = x'00'"), .tampered, .tampered,
            "checksum that cannot be one"),
        Forgery(
            "a version that no file has", row("films", "9"), .migrationMissing, .migrationMissing,
            "its file is gone"),
        Forgery(
            "a row of a set that nobody gave", row("music", "1"), nil, nil,
            "the set music was applied"),
        Forgery(
            "a row of the other set copied in", row("films", "4", name: "shelf"), .migrationMissing,
            .migrationMissing, "its file is gone"),
        Forgery(
            "the same version in another spelling", row("films", "03", name: "note"), .tampered,
            .tampered,
            "version that cannot be one"),
        Forgery(
            "a version that is none", row("films", "x"), .tampered, .tampered,
            "version that cannot be one"),
        Forgery(
            "a version twice", loose + row("films", "3", name: "note", position: "77"), .tampered,
            .tampered,
            "a version twice"),
        Forgery(
            "a position twice", loose + row("films", "9", position: "3"), .tampered, .tampered,
            "position that cannot be one"),
        Forgery(
            "a position before the first", update("position = -5"), .tampered, .tampered,
            "position that cannot be one"),
        Forgery(
            "the last place that there is", update("position = 9223372036854775807"), nil, nil, ""),
        Forgery(
            "another order",
            "UPDATE lockstep_migration SET position = 99 WHERE \"set\" = 'films' AND version = '1';",
            nil, nil, "films 1 was applied after 3"),
        Forgery(
            "the newest row removed",
            "DELETE FROM lockstep_migration WHERE \"set\" = 'films' AND version = '3';",
            .migrationFailed, nil,
            "not applied yet"),
        Forgery(
            "a row in the middle removed",
            "DELETE FROM lockstep_migration WHERE \"set\" = 'films' AND version = '2';",
            .outOfOrder, nil,
            "was never applied"),
        Forgery(
            "all rows removed", "DELETE FROM lockstep_migration;", .migrationFailed, nil,
            "user_version"),
        Forgery(
            "the table removed", "DROP TABLE lockstep_migration;", .migrationFailed, nil,
            "user_version"),
        Forgery(
            "a duration below zero", update("duration = -1"), .tampered, .tampered,
            "duration that cannot be one"),
        Forgery(
            "a name that is no text", update("name = x'80ff'"), .tampered, .tampered,
            "type that it cannot have"),
        Forgery(
            "a time that is a text", update("applied_at = 'never'"), .tampered, .tampered,
            "type that it cannot have"),
        Forgery(
            "an applied version noted as begun", progress("3", isUp: 1), .tampered, .tampered,
            "noted as begun"),
        Forgery(
            "an applied version noted as being undone, by another way", progress("3", isUp: 0),
            .tampered, .tampered,
            "noted as begun"),
        Forgery(
            "a version that begins before its beginning", progress("3", isUp: 1, segment: "-1"),
            .tampered,
            .tampered, "cannot be one"),
        Forgery(
            "a begun version with another way down",
            progress("3", isUp: 1)
                + "DELETE FROM lockstep_migration WHERE \"set\" = 'films' AND version = '3';",
            .migrationChanged, .migrationChanged, "another way down"),
        Forgery(
            "a version being undone that was never applied",
            progress("3", isUp: 0)
                + "DELETE FROM lockstep_migration WHERE \"set\" = 'films' AND version = '3';",
            .tampered, .tampered, "noted as begun"),
    ]

    @Test("Verification names it, running is refused, and nothing of it runs", arguments: forgeries)
    func forgery(_ forgery: Forgery) throws {
        let victim = try LedgerVictim()
        let before = try victim.database()
        #expect(try victim.verdict(before) == [])
        for isBack in [false, true] {
            let connection = try victim.database()
            try LedgerVictim.forge(forgery.sql, connection)
            let verdict = try victim.verdict(connection)
            // What keeps the order of application is not reported.
            #expect(
                forgery.verdict.isEmpty
                    ? verdict.isEmpty : verdict.contains { $0.contains(forgery.verdict) },
                "\(verdict)")
            let code = try victim.refusal(of: isBack ? .back(1) : .latest, connection)
            #expect(code == (isBack ? forgery.back : forgery.forward))
            try victim.tryEverything(connection)
            #expect(try LedgerVictim.strangers(connection) == [])
        }
    }

    static let repeatables = [
        Forgery(
            "a checksum of the text", "checksum_text = randomblob(32)", .migrationChanged, nil,
            "contradict each other"),
        Forgery(
            "a checksum of the tokens", "checksum_tokens = randomblob(32)", .migrationChanged, nil,
            "contradict each other"),
        Forgery(
            "all checksums",
            "checksum_bytes = zeroblob(32), checksum_text = zeroblob(32), checksum_tokens = zeroblob(32)",
            nil, nil,
            "has not run yet"),
        Forgery(
            "a checksum of the bytes", "checksum_bytes = randomblob(32)", nil, nil,
            "in line endings only"),
        Forgery(
            "bytes and text", "checksum_bytes = randomblob(32), checksum_text = randomblob(32)",
            nil, nil,
            "in comments or spacing only"),
        Forgery("another name", "name = 'other'", nil, nil, "is gone"),
        Forgery("a set that nobody gave", "\"set\" = 'other'", nil, nil, "has not run yet"),
        Forgery(
            "no blob", "checksum_text = 'text'", .tampered, .tampered, "type that it cannot have"),
    ]

    @Test("Equally what it says of repeatable migrations", arguments: repeatables)
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
        "A way down in a file of its own: comments and spacing are a notice, statements are drift")
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
            #expect(plan.findings.first?.error.message.contains("comments or spacing only") == true)
        }
        let other = try set("DROP TABLE IF EXISTS shelf;\n")
        let error = #expect(throws: LockstepError.self) { try Migrator(other).run(on: connection) }
        #expect(error?.code == .migrationChanged)
        #expect(
            error?.message == "U1__shelf.sql has another way down than the one recorded with it")
        #expect(error?.hint?.contains("restore the file") == true)
    }

    @Test("Edits of comments and spacing, in the way down too, stay the notice that they were")
    func harmlessEdits() throws {
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
            // The file is what was applied, so it undoes the version.
            let back = try Migrator(set).plan(.back(1), on: connection)
            #expect(back.steps.count == 1)
        }
    }
}
