import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Migration files")
struct MigrationFileTests {
    private func parse(_ text: String, name: String = "0001_x.sql") throws -> MigrationFile {
        try MigrationFile(fileName: name, bytes: Array(text.utf8))
    }

    @Test("A file has a version, a name, a way up and optionally a way down")
    func parts() throws {
        let file = try parse(
            "-- about it\n-- lockstep: up\nSELECT 1;\n-- lockstep: down\nSELECT 2;\n", name: "0012_add_ratings.sql")
        #expect(file.version == MigrationVersion(12))
        #expect(file.name == "add_ratings")
        #expect(file.isReversible)
        #expect(file.up.items == [.init(content: .sql("\nSELECT 1;\n"), line: 2)])
        #expect(file.down?.text == "\nSELECT 2;\n")
        #expect(try parse("-- lockstep: up\nSELECT 1").isReversible == false)
    }

    @Test("Every directive is read, whatever its case and white space")
    func directives() throws {
        let file = try parse(
            """
            -- lockstep: up
            -- lockstep:  Rebuild TABLE [mine]
            -- lockstep: set year = CAST(year AS INTEGER) = 3
            -- lockstep: drop column `old`
            CREATE TABLE mine (year);
            -- lockstep: allow loss of table Mine
            -- lockstep: foreign keys off
            """)
        let directives = file.up.items.compactMap { item -> Directive? in
            guard case .directive(let directive) = item.content else { return nil }
            return directive
        }
        #expect(
            directives == [
                .rebuild(table: "mine"),
                .set(column: "year", expression: "CAST(year AS INTEGER) = 3"),
                .dropColumn("old"), .allowLoss(table: "Mine"), .foreignKeysOff,
            ])
        #expect(file.up.needsForeignKeysOff)
        #expect(file.up.tablesAllowedToLoseRows == ["mine"])
    }

    @Test("Names in directives can be quoted, and contain spaces")
    func quotedNames() throws {
        let file = try parse(
            "-- lockstep: up\n-- lockstep: allow loss of table \"my t\"\n"
                + "-- lockstep: rebuild table [other t]\n-- lockstep: set \"a b\"='x  y'\n")
        #expect(file.up.tablesAllowedToLoseRows == ["my t"])
        #expect(file.up.items.map(\.content).contains(.directive(.set(column: "a b", expression: "'x  y'"))))
        let other = try parse(
            "-- lockstep: up\n-- lockstep: allow loss of table \"my t\"\n"
                + "-- lockstep: rebuild table [other t]\n-- lockstep: set \"a b\"='x y'\n")
        #expect(file.checksums.tokens != other.checksums.tokens)
    }

    @Test(
        "A misspelled directive is still a directive",
        arguments: [
            "--lockstep: down", "-- Lockstep: down", "--  lockstep :down", "-- LOCKSTEP:  DOWN",
        ])
    func slips(line: String) throws {
        #expect(try parse("-- lockstep: up\nSELECT 1;\n\(line)\nSELECT 2;").isReversible)
    }

    @Test("A directive inside a string, a name or a block comment does not count") func notDirectives() throws {
        let text = """
            -- lockstep: up
            INSERT INTO t VALUES ('
            -- lockstep: down
            ');
            /*
            -- lockstep: down
            */
            """
        #expect(try parse(text).isReversible == false)
    }

    @Test("CRLF endings and a byte-order mark change nothing but the strictest checksum") func lineEndings() throws {
        let plain = "-- lockstep: up\nSELECT 1;\n-- lockstep: down\nSELECT 2;\n"
        let windows =
            "\u{FEFF}"
            + plain.split(separator: "\n", omittingEmptySubsequences: false)
            .joined(separator: "\r\n")
        let one = try parse(plain)
        let other = try parse(windows)
        #expect(one.checksums.text == other.checksums.text)
        #expect(one.checksums.tokens == other.checksums.tokens)
        #expect(one.checksums.bytes != other.checksums.bytes)
        #expect(other.isReversible)
    }

    @Test("Checksums distinguish comments and white space from statements and directives") func checksums() throws {
        let file = try parse("-- lockstep: up\nCREATE TABLE t (a);").checksums
        let commented = try parse("-- lockstep: up\n  create  table t(a) ; -- hi\n").checksums
        #expect(file.text != commented.text)
        #expect(file.tokens == commented.tokens)
        for other in [
            "-- lockstep: up\nCREATE TABLE t (b);", "-- lockstep: up\nCREATE TABLE t (a, b);",
            "-- lockstep: up\n-- lockstep: allow loss of table t\nCREATE TABLE t (a);",
            "-- lockstep: up\nCREATE TABLE t (a);\n-- lockstep: down\n",
        ] {
            #expect(try parse(other).checksums.tokens != file.tokens)
        }
        // A quoted value is a value, so its case counts.
        #expect(
            try parse("-- lockstep: up\nSELECT 'a';").checksums.tokens
                != parse("-- lockstep: up\nSELECT 'A';").checksums.tokens)
    }

    @Test(
        "Malformed files name the line",
        arguments: [
            ("SELECT 1;\n-- lockstep: up\n", ":1:"), ("-- lockstep: up\n-- lockstep: frobnicate\n", ":2:"),
            ("-- lockstep: up\nSELECT 1;\n-- lockstep: up\n", ":3:"), ("-- lockstep: down\nSELECT 1;\n", ":1:"),
            ("-- lockstep: up\n-- lockstep: down\n-- lockstep: down\n", ":3:"),
            ("-- only a comment\n", "no `-- lockstep: up`"), ("", "no `-- lockstep: up`"),
        ])
    func malformed(text: String, place: String) {
        do {
            _ = try parse(text)
            Issue.record("it was accepted")
        } catch let error as LockstepError {
            #expect(error.code == .migrationMalformed)
            #expect(error.message.contains("0001_x.sql"))
            #expect(error.message.contains(place), "\(error.message)")
            #expect(error.hint != nil)
        } catch {
            Issue.record(error)
        }
    }

    @Test("Invalid UTF-8 is refused with its line, a NUL byte too")
    func bytes() {
        let text = Array("-- lockstep: up\nSELECT '".utf8) + [0xFF, 0xFE] + Array("';".utf8)
        Refusal.expect(.migrationMalformed) {
            _ = try MigrationFile(fileName: "0001_x.sql", bytes: text)
        }
        #expect {
            _ = try MigrationFile(fileName: "0001_x.sql", bytes: text)
        } throws: { error in "\(error)".contains("0001_x.sql:2") }
        Refusal.expect(.migrationMalformed) { _ = try parse("-- lockstep: up\nSELECT 1;\0") }
    }

    @Test(
        "Names that do not fit a migration are refused",
        arguments: ["x.sql", "_x.sql", "1.sql", "1_.sql", "1_x.txt", "a_x.sql", "1-x.sql"])
    func names(name: String) {
        Refusal.expect(.migrationMalformed) { _ = try parse("-- lockstep: up\n", name: name) }
    }
}
