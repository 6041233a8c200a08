import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Scripts of other layouts")
struct ForeignScriptTests {
    private func file(
        _ name: String, _ text: String, _ layout: MigrationLayout = .sqlx
    ) throws -> MigrationFile {
        try #require(try LayoutFolder([name: text]).set(layout).files.first)
    }

    private func directives(_ script: MigrationScript) -> [Directive] {
        script.items.compactMap {
            guard case .directive(let directive) = $0.content else { return nil }
            return directive
        }
    }

    @Test("Lockstep's directives work in files of every layout, with the same strictness") func directives() throws {
        let directive = "-- lockstep: allow loss of table A\n"
        for (name, text, layout) in [
            ("1_a.up.sql", directive, MigrationLayout.golangMigrate), ("1_a.sql", directive, .sqlx),
            ("V1__a.sql", directive, .flyway), ("V1__a.sql", directive, .refinery), ("1_a/up.sql", directive, .diesel),
            ("1_a.sql", "-- migrate:up\n\(directive)-- migrate:down\n", .dbmate),
            ("1_a.sql", "-- +goose Up\n\(directive)-- +goose Down\n", .goose),
        ] {
            #expect(try file(name, text, layout).up.tablesAllowedToLoseRows == ["a"])
            let slip = text.replacing("allow loss", with: "alow loss")
            let error = try #require(try LayoutFolder.error([name: slip], layout))
            #expect(error.message.contains("\(name):"), "\(error.message)")
        }
    }

    @Test("Each layout has its own way to run a file outside a transaction")
    func transactions() throws {
        let bare = "VACUUM;"
        let cases: [(MigrationLayout, [String: String], Bool, Bool)] = [
            (
                .native,
                ["1_a.sql": "-- lockstep: up\n-- lockstep: no transaction\n-- lockstep: down"],
                false, true
            ),
            (.native, ["1_a.sql": "-- lockstep: up\n\(bare)\n-- lockstep: down"], true, true),
            (.golangMigrate, ["1_a.up.sql": bare, "1_a.down.sql": "-- no-transaction\n\(bare)"], true, true),
            (
                .golangMigrate,
                ["1_a.up.sql": "-- lockstep: no transaction", "1_a.down.sql": bare],
                false, true
            ),
            (.sqlx, ["1_a.up.sql": "-- no-transaction\n\(bare)", "1_a.down.sql": bare], false, true),
            (
                .sqlx,
                [
                    "1_a.up.sql": " -- no-transaction\n\(bare)",
                    "1_a.down.sql": "-- no-transaction\n\(bare)",
                ],
                true, false
            ),
            (.dbmate, ["1_a.sql": "-- migrate:up transaction:false\n\(bare)\n-- migrate:down\n\(bare)"], false, true),
            (.dbmate, ["1_a.sql": "-- migrate:up\n\(bare)\n-- migrate:down x transaction:false\n\(bare)"], true, false),
            (
                .goose,
                [
                    "1_a.sql":
                        "-- +goose NO TRANSACTION\n-- +goose Up\n\(bare)\n-- +goose Down\n\(bare)"
                ],
                false, false
            ),
            (
                .goose,
                [
                    "1_a.sql":
                        "-- +goose Up\n\(bare)\n-- +goose Down\n-- +goose No  Transaction\n\(bare)"
                ],
                false, false
            ),
            (
                .diesel,
                ["1_a/up.sql": bare, "1_a/down.sql": bare, "1_a/metadata.toml": "\"run_in_transaction\"=false"], false,
                false
            ),
            (
                .diesel,
                ["1_a/up.sql": bare, "1_a/down.sql": bare, "1_a/metadata.toml": "run_in_transaction = true\n"], true,
                true
            ),
            (
                .flyway, ["V1__a.sql": bare, "U1__a.sql": bare, "V1__a.sql.conf": "# x\nexecuteInTransaction=false"],
                false, true
            ),
            (
                .flyway,
                ["V1__a.sql": bare, "U1__a.sql": bare, "U1__a.sql.conf": "flyway.executeInTransaction = FALSE\n"], true,
                false
            ),
        ]
        for (layout, files, up, down) in cases {
            let file = try #require(try LayoutFolder(files).set(layout).files.first)
            #expect(file.runsInTransaction == up, "\(files)")
            // The ledger stores it with the way down.
            let text = try #require(file.down).text
            let recorded = try MigrationFileParser.parseScript(
                text, ScriptOrigin(file: "recorded"))
            #expect(recorded.runsInTransaction == down, "\(files)")
            #expect(file.down?.runsInTransaction == down, "\(files)")
        }
    }

    @Test(
        "Foreign keys that a file switches off and on are off for its version, and checked afterwards"
    )
    func foreignKeys() throws {
        for (off, on) in [
            ("PRAGMA foreign_keys=off;", "PRAGMA foreign_keys=on;"),
            ("pragma \"Foreign_Keys\" = 0 ;", "PRAGMA foreign_keys\n=\nTRUE;"),
            ("PRAGMA foreign_keys(NO);", "/* on */ PRAGMA foreign_keys(yes) -- done\n;"),
        ] {
            let connection = try Connection.inMemory()
            let rebuild = """
                CREATE TABLE p (id INTEGER PRIMARY KEY);
                CREATE TABLE c (id INTEGER PRIMARY KEY, p REFERENCES p ON DELETE CASCADE);
                INSERT INTO p VALUES (1);
                INSERT INTO c VALUES (1, 1);
                """
            let second = """
                \(off) CREATE TABLE n (id INTEGER PRIMARY KEY, x);
                INSERT INTO n (id) SELECT id FROM p; DROP TABLE p; ALTER TABLE n RENAME TO p;
                \(on)
                nonsense;
                """
            let good = second.replacing("nonsense;", with: "")
            let folder = try LayoutFolder(["1_a.sql": rebuild, "2_b.sql": good])
            let set = try folder.set()
            #expect(set.files[1].up.needsForeignKeysOff)
            _ = try Migrator(set).run(on: connection)
            #expect(try Scratch.int(connection, "SELECT count(*) FROM c") == 1)
            #expect(try Scratch.int(connection, "PRAGMA foreign_keys") == 1)
            // Line numbers are still those of the file.
            let third = second.replacing("FROM p", with: "FROM c").replacing("TO p", with: "TO q")
            try folder.write("3_c.sql", Array(third.utf8))
            let lines = third.split(separator: "\n", omittingEmptySubsequences: false)
            let line = try #require(lines.firstIndex { $0 == "nonsense;" }) + 1
            #expect {
                _ = try Migrator(try folder.set()).run(on: connection)
            } throws: { error in "\(error)".contains("3_c.sql:\(line):") }
            #expect(try Scratch.int(connection, "PRAGMA foreign_keys") == 1)
        }
    }

    private func failure(_ files: [String: String]) throws -> LockstepError? {
        do {
            _ = try Migrator(try LayoutFolder(files).set()).run(on: Connection.inMemory())
            return nil
        } catch let error as LockstepError {
            return error
        }
    }

    @Test("Other pragmas are unchanged, and the native layout still refuses its own") func otherPragmas() throws {
        for text in [
            "PRAGMA foreign_keys;", "SELECT 1 AS pragma;", "PRAGMA table_info(foreign_keys);",
            "PRAGMA foreign_keys = maybe", "SELECT foreign_keys = 0 FROM (SELECT 1 AS foreign_keys);",
        ] {
            #expect(try !file("1_a.sql", text).up.needsForeignKeysOff, "\(text)")
        }
        for text in ["PRAGMA journal_mode = DELETE;", "PRAGMA key = 'x';", "COMMIT;"] {
            #expect(try failure(["1_a.sql": text])?.code == .migrationFailed, "\(text)")
        }
        let native = try #require(try failure(["1_a.sql": "-- lockstep: up\nPRAGMA foreign_keys = OFF;"]))
        #expect(native.hint?.contains("-- lockstep: foreign keys off") == true)
    }

    @Test("Double-quoted texts are strings in other tools' files, and names in Lockstep's own")
    func doubleQuotes() throws {
        let up = "CREATE TABLE a (x, y CHECK (y <> \"no\"));\nINSERT INTO a VALUES (\"yes\", 'z');"
        let down = "DELETE FROM a WHERE x = \"yes\";\n-- lockstep: allow loss of table a\nDROP TABLE a;"
        let connection = try Connection.inMemory()
        let set = try LayoutFolder(["1_a.up.sql": up, "1_a.down.sql": down]).set()
        _ = try Migrator(set).run(on: connection)
        #expect(try Scratch.int(connection, "SELECT count(*) FROM a WHERE x = 'yes'") == 1)
        Refusal.expect(.sqlFailed) { try connection.execute("SELECT \"yes\" FROM a") }
        _ = try Migrator(set).run(.back(1), on: connection)
        let native = try #require(try failure(["1_a.sql": "-- lockstep: up\n\(up)"]))
        #expect(native.code == .migrationFailed)
        let declared = "-- lockstep: up\n-- lockstep: double quoted texts\n\(up)"
        #expect(try failure(["1_a.sql": declared]) == nil)
        // After a failure the strict rule applies again, too.
        let broken = try LayoutFolder(["1_a.sql": "nonsense;"]).set()
        Refusal.expect(.migrationFailed) { _ = try Migrator(broken).run(on: connection) }
        Refusal.expect(.sqlFailed) { try connection.execute("SELECT \"yes\"") }
    }

    @Test("Errors name the file and its own line, also in a folder and in the way down") func places() throws {
        let error = try #require(try failure(["1_a/up.sql": "SELECT 1;\n-- lockstep: foreign keys off\n\nnonsense;\n"]))
        #expect(error.message.contains("set/1_a/up.sql:4:"), "\(error.message)")
        let goose = try #require(
            try failure([
                "1_a.sql":
                    "-- x\n-- +goose Up\n-- +goose StatementBegin\nSELECT 1\n-- +goose StatementEnd\nnonsense;"
            ]))
        #expect(goose.message.contains("set/1_a.sql:6:"), "\(goose.message)")
        let down = try #require(try LayoutFolder.error(["1_a.up.sql": "", "1_a.down.sql": "\n-- lockstep: frob"]))
        #expect(down.message.contains("1_a.down.sql:2:"), "\(down.message)")
        let set = try LayoutFolder(["1_a/up.sql": "", "1_a/down.sql": ""]).set()
        #expect(set.files.map(\.downFileName) == ["1_a/down.sql"])
        #expect(try file("1_a.sql", "").downFileName == nil)
    }

    @Test("Every spelling of a directive is read as that directive")
    func spellings() {
        for directive in [
            Directive.backfill(table: "b c", batch: 7), .rebuild(table: "a \"b\""),
            .set(column: "c d", expression: "'x'  || 1"),
            .dropColumn("é"), .allowLoss(table: "t"), .foreignKeysOff, .noTransaction,
            .doubleQuotedTexts,
        ] {
            #expect(Directive(directive.spelling) == directive)
        }
    }
}
