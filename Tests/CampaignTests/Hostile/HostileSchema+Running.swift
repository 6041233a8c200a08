@testable import EngineTestSupport
@testable import Lockstep

/// The shapes that take over names, and those that run when rows change.
extension HostileWriter {
    mutating func nameStatements(for shape: HostileShape) -> [String] {
        let name = freshName()
        switch shape {
        case .tableCase:
            let (old, new) = dice.pick([("film", "Film"), ("film", "FILM"), ("code", "CODE"), ("log", "Log")])
            let open =
                "CREATE TABLE \(quote("\(dice.pick([old, new]))_open")) (id INTEGER PRIMARY KEY, title, year, note, genre, c, \"cl\u{E9}\", entry, extra)"
            return [
                replace("TABLE \(old)", "TABLE \(new)", in: old),
                "UPDATE sqlite_schema SET tbl_name = '\(new)' WHERE tbl_name = '\(old)'",
                "UPDATE sqlite_schema SET name = '\(new)' WHERE name = '\(old)'",
            ] + (dice.chance(4) ? [] : [open])
        case .renamedTable:
            let old = table()
            let copy = "CREATE TABLE \(old) AS SELECT * FROM \(quote(name))"
            return ["ALTER TABLE \(old) RENAME TO \(quote(name))"] + (dice.chance(2) ? [copy] : [])
        case .renamedColumn:
            let (table, column) = dice.pick(Self.sealed)
            let new = dice.pick([name, "title2", column.uppercased(), "e\u{301}"])
            let rename = "ALTER TABLE \(table) RENAME COLUMN \(quote(column)) TO \(quote(new))"
            let other = "ALTER TABLE \(table) ADD COLUMN \(quote(column)) TEXT"
            return [rename] + (dice.chance(3) ? [] : [other])
        case .swappedColumns:
            return dice.pick([
                [
                    "ALTER TABLE film RENAME COLUMN title TO swap\(number)",
                    "ALTER TABLE film RENAME COLUMN note TO title",
                    "ALTER TABLE film RENAME COLUMN swap\(number) TO note",
                ],
                [
                    "ALTER TABLE film RENAME COLUMN title_exact_token TO swap\(number)",
                    "ALTER TABLE film RENAME COLUMN title_casefold_token TO title_exact_token",
                    "ALTER TABLE film RENAME COLUMN swap\(number) TO title_casefold_token",
                ], ["ALTER TABLE pair RENAME COLUMN a TO swap\(number)", "ALTER TABLE pair RENAME COLUMN extra TO a"],
                ["ALTER TABLE film RENAME COLUMN id TO swap\(number)", "ALTER TABLE film RENAME COLUMN year TO id"],
            ])
        case .tokenGenerated:
            let token = dice.pick(["\"title_exact_token\"", "\"title_casefold_token\"", "\"genre_exact_token\""])
            let type = token == "\"title_exact_token\"" ? "BLOB" : "INTEGER"
            return [
                "DROP INDEX IF EXISTS lockstep_sealed_film_title_exact_token",
                replace(
                    "\(token) \(type)", "\(token) \(type) AS (\(dice.pick(["year", "title", "NULL", dice.call("")])))",
                    in: "film"),
            ]
        case .sealedGenerated:
            return [
                dice.pick([
                    replace(
                        "note TEXT",
                        "note TEXT AS (\(dice.pick(["title", "NULL", "'\(HostileTemplate.forged)'", dice.call("")])))",
                        in: "film"),
                    replace(
                        "title TEXT NOT NULL DEFAULT 'untitled'", "title TEXT AS (note) STORED",
                        in: "film"),
                    replace("secret", "secret AS (extra)", in: "pair"),
                ])
            ]
        case .twinName:
            // The same name to Unicode, but another one to SQLite.
            return [
                dice.chance(2)
                    ? "ALTER TABLE code ADD COLUMN \"cle\u{301}\" TEXT"
                    : replace("\"cl\u{E9}\" TEXT", "\"cle\u{301}\" TEXT, \"cl\u{E9}\" TEXT", in: "code")
            ]
        case .replacedByView, .replacedByVirtualTable:
            let table = dice.pick(["film", "log"])
            let real = "real\(number)"
            let column = table == "film" ? "title" : "entry"
            let columns = table == "film" ? "id, title, year, note, genre" : "id, entry, extra"
            guard shape == .replacedByView else {
                return [
                    "ALTER TABLE \(table) RENAME TO \(real)",
                    "CREATE VIRTUAL TABLE \(table) USING fts5(\(columns), title_exact_token, title_casefold_token, genre_exact_token)",
                ]
            }
            return [
                lootTable, "ALTER TABLE \(table) RENAME TO \(real)", "CREATE VIEW \(table) AS SELECT * FROM \(real)",
                "CREATE TRIGGER \(quote(name)) INSTEAD OF INSERT ON \(table) BEGIN INSERT INTO loot VALUES (NEW.\(column), \(dice.call("NEW.")), 1); END",
            ]
        case .openName:
            let view = dice.pick(["film_open", "pair_open", "FILM_OPEN", "film_open_insert", "plain_open"])
            let make = dice.pick([
                "CREATE TABLE \(view) (id INTEGER PRIMARY KEY, title, year, note, genre, a, b, secret)",
                "CREATE VIEW \(view) AS SELECT * FROM film",
            ])
            // SQLite ignores the case of the type.
            return [make]
                + (dice.chance(2) ? [] : ["UPDATE sqlite_schema SET type = upper(type) WHERE name = \(text(view))"])
        case .pragmaName:
            let pragma = dice.pick([
                "pragma_table_list", "pragma_table_xinfo", "PRAGMA_index_list",
                "pragma_foreign_key_list", "pragma_quick_check",
            ])
            let make = dice.pick([
                "CREATE TABLE \(pragma) (schema, name, type, ncol, wr, strict, cid, \"notnull\", dflt_value, pk, hidden, origin)",
                "CREATE VIEW \(pragma) AS SELECT 'main' AS schema, 'film' AS name, 'table' AS type, 5 AS ncol, 0 AS wr, 0 AS strict",
                "CREATE VIRTUAL TABLE \(pragma) USING fts5(cid, name, type, \"notnull\", dflt_value, pk, hidden, origin)",
            ])
            return [make]
                + (dice.chance(2) ? [] : ["UPDATE sqlite_schema SET type = upper(type) WHERE name = \(text(pragma))"])
        default:
            let taken = dice.pick(["sqlite_temp_schema", "sqlite_temp_master", "sqlite_stat1", "temp"])
            return [
                "CREATE TABLE \(quote(name)) (type, name, tbl_name, rootpage, sql)",
                "UPDATE sqlite_schema SET sql = \(text("CREATE TABLE \(taken) (type, name, tbl_name, rootpage, sql)")), name = '\(taken)', tbl_name = '\(taken)' WHERE name = \(text(name))",
            ]
        }
    }

    mutating func triggerStatements(for shape: HostileShape) -> [String] {
        let name = quote(freshName())
        let (table, column) = dice.pick(Self.sealed)
        let row = dice.pick(["NEW.", "NEW.", "OLD."])
        let event = row == "NEW." ? dice.pick(["INSERT", "UPDATE"]) : dice.pick(["UPDATE", "DELETE"])
        let time = dice.pick(["BEFORE", "AFTER"])
        let taken = "\(row)\(quote(column))"
        switch shape {
        case .trigger:
            let condition = dice.pick(["", "", "WHEN \(taken) IS NOT NULL", "WHEN (\(dice.call(row))) IS NOT 1"])
            let body = dice.pick([
                "INSERT INTO loot VALUES (\(taken), hex(\(taken)), lower(\(taken)))",
                "INSERT INTO loot SELECT \(dice.loot(row)), \(taken), 1",
                "INSERT INTO loot VALUES (\(dice.call(row)), \(dice.call(row)), \(dice.plaintext()))",
                "UPDATE \(table) SET \(quote(column)) = (SELECT \(quote(column)) FROM \(table) LIMIT 1)",
                "UPDATE \(table) SET \(quote(column)) = \(dice.plaintext())",
                "INSERT OR REPLACE INTO plain VALUES (1, \(taken), \(dice.call(row)))",
                "DELETE FROM \(table) WHERE rowid = 1",
            ])
            return [lootTable, "CREATE TRIGGER \(name) \(time) \(event) ON \(table) \(condition) BEGIN \(body); END"]
        case .recursiveTrigger:
            return [
                lootTable,
                "CREATE TRIGGER \(name) AFTER INSERT ON loot WHEN (SELECT count(*) FROM loot) < 5 BEGIN INSERT INTO loot VALUES (NEW.b, \(dice.loot("NEW.").replacing("NEW.title", with: "NEW.a").replacing("NEW.note", with: "NEW.b").replacing("NEW.genre", with: "NEW.c").replacing("NEW.year", with: "1").replacing("NEW.id", with: "2")), NEW.a); END",
                "CREATE TRIGGER \(quote(freshName() + "r")) \(time) \(event) ON \(table) BEGIN INSERT INTO loot VALUES (\(taken), \(taken), 1); END",
            ]
        case .raisingTrigger:
            let kind = dice.pick(["ABORT", "FAIL", "ROLLBACK", "IGNORE"])
            let raise = kind == "IGNORE" ? "RAISE(IGNORE)" : "RAISE(\(kind), 'no')"
            return [
                "CREATE TRIGGER \(name) \(time) \(event) ON \(table) WHEN \(dice.pick(["1", "length(\(taken)) > 60", "\(dice.call(row)) IS \(dice.plaintext())"])) BEGIN SELECT \(raise); END"
            ]
        case .insteadOfTrigger:
            return [
                lootTable, "CREATE VIEW \(name) AS SELECT * FROM film",
                "CREATE TRIGGER \(quote(freshName() + "o")) INSTEAD OF INSERT ON \(name) BEGIN INSERT INTO loot VALUES (\(dice.call("NEW.")), NEW.title, 2); INSERT INTO film SELECT * FROM film WHERE 0; END",
                "CREATE TRIGGER \(quote(freshName() + "p")) AFTER INSERT ON film BEGIN INSERT INTO \(name) (title, note, id) VALUES (NEW.title, NEW.note, NEW.id); END",
            ]
        case .engineTrigger:
            let engine = dice.pick([
                "lockstep_dataset", "lockstep_column", "lockstep_index", "lockstep_keyring",
                "lockstep_migration", "lockstep_field_key",
            ])
            let body = dice.pick([
                "INSERT INTO loot VALUES (\(dice.call("").replacing("title", with: "1").replacing("note", with: "2")), 1, 2)",
                "UPDATE lockstep_column SET state = 'migrating'", "DELETE FROM lockstep_column",
                "UPDATE plain SET draft = \(dice.plaintext())",
            ])
            return [
                lootTable,
                "CREATE TRIGGER \(name) \(time) \(dice.pick(["INSERT", "UPDATE", "DELETE"])) ON \(engine) BEGIN \(body); END",
            ]
        case .droppedGuards:
            return ["DELETE FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'lockstep_sealed_\(table)%'"]
        case .fakeGuard:
            let other = dice.pick(["year", "extra", column])
            return [
                "CREATE TRIGGER \"lockstep_sealed_\(table)_x\(number)_\(dice.pick(["update", "unsealing"]))\" BEFORE UPDATE ON \(table) WHEN NEW.\(quote(other)) IS 'x' BEGIN SELECT RAISE(ABORT, 'x'); END"
            ]
        default:
            let action = dice.pick(["SET DEFAULT", "SET NULL", "CASCADE"])
            return [
                "CREATE TABLE \(name) (id INTEGER PRIMARY KEY, f INTEGER DEFAULT 4242 REFERENCES film (id) ON DELETE \(action) ON UPDATE \(action))",
                "INSERT INTO \(name) (f) VALUES (2), (3)",
                replace("DEFAULT 4242", "DEFAULT (\(dice.callOnKnown(cells)))", in: SQLTokens.unquote(name)),
            ]
        }
    }
}
