@testable import EngineTestSupport
@testable import Lockstep

extension LayoutCase {
    private static let create = "CREATE TABLE a (x INTEGER PRIMARY KEY, y TEXT);\n"
    private static let index = "CREATE INDEX a_y ON a (y);\n"

    /// Folders of tools without ways down, or without rules of their own.
    static let newer: [LayoutCase] = [
        LayoutCase(
            layout: .prisma, about: "folders by time, a rebuild as Prisma writes it, a way down",
            files: [
                "migration_lock.toml": "# by hand no\nprovider = \"sqlite\"\n",
                "0_init/migration.sql": "-- CreateTable\nCREATE TABLE \"old\" (\"x\" INTEGER);",
                "20240101000000_create/migration.sql":
                    "-- RedefineTables\nPRAGMA defer_foreign_keys=ON;\nPRAGMA foreign_keys=OFF;\n"
                    + "CREATE TABLE \"new_old\" (\"x\" INTEGER PRIMARY KEY, \"y\" TEXT);\n"
                    + "INSERT INTO \"new_old\" (\"x\") SELECT \"x\" FROM \"old\";\nDROP TABLE \"old\";\n"
                    + "ALTER TABLE \"new_old\" RENAME TO \"a\";\nPRAGMA foreign_keys=ON;\n"
                    + "PRAGMA defer_foreign_keys=OFF;\n", "20240102000000_index/migration.sql": index,
                "20240102000000_index/down.sql": "DROP INDEX a_y;",
                "20240103000000_empty/notes.md": "",
                "schema.sql": "nonsense",
            ],
            versions: ["0", "20240101000000", "20240102000000"],
            names: ["init", "create", "index"],
            undoable: 1, objects: ["a", "a_y"]),
        LayoutCase(
            layout: .drizzle, about: "files in the order of the journal, with breakpoints",
            files: [
                "meta/_journal.json": """
                {"version": "7", "dialect": "sqlite", "entries": [
                  {"idx": 0, "version": "6", "when": 1714, "tag": "0000_create", "breakpoints": true},
                  {"idx": 1, "version": "6", "when": 1715, "tag": "0001_index", "breakpoints": true}
                ]}
                """,
                "meta/0000_snapshot.json": "{}", "meta/0001_snapshot.json": "{}",
                "0000_create.sql":
                    "CREATE TABLE `a` (`x` integer PRIMARY KEY NOT NULL, `y` text)\n"
                    + "--> statement-breakpoint\nSELECT 1;--> statement-breakpoint\n",
                "0001_index.sql": index, "schema.sql": "nonsense",
            ],
            versions: ["0", "1"], names: ["create", "index"], undoable: 0, objects: ["a", "a_y"]),
        LayoutCase(
            layout: .drizzle, about: "folders with snapshots",
            files: [
                "20240101000000_create/migration.sql": create, "20240101000000_create/snapshot.json": "{}",
                "20240102000000_index/migration.sql": index, "20240102000000_index/snapshot.json": "{}",
            ],
            versions: ["20240101000000", "20240102000000"], names: ["create", "index"],
            undoable: 0, objects: ["a", "a_y"]),
        LayoutCase(
            layout: .atlas, about: "with and without a name, outside a transaction",
            files: [
                "atlas.sum": """
                h1:G9KHvx2ff9+wsFFxoigVPt+xEmGB+tLrWV3XQZglCDE=
                20240101000000_create.sql h1:QhwoAcmuIbvVRlwv9+hb3LFXONTM+ewt/MIMwwtkIJU=
                20240102000000.sql h1:FO8YFGYi3ybFc8B8oRgtkGbUQ7QDHVkukccQauheolg=
                """,
                "20240101000000_create.sql": create,
                "20240102000000.sql": "-- atlas:txmode none\n\n\(index)",
            ],
            versions: ["20240101000000", "20240102000000"], names: ["create", "20240102000000"],
            undoable: 0, objects: ["a", "a_y"]),
        LayoutCase(
            layout: .rusqlite, about: "folders with hyphens",
            files: [
                "01-create/up.sql": create, "01-create/down.sql": "DROP TABLE a;", "02-index/up.sql": index,
                "02-index/down.sql": "DROP INDEX a_y;", "03-third-one/up.sql": "SELECT 1;", "03-third-one/down.sql": "",
            ],
            versions: ["1", "2", "3"], names: ["create", "index", "third-one"], undoable: 3,
            objects: ["a", "a_y"]),
        LayoutCase(
            layout: .markers, about: "npm's sqlite, with comments around the markers",
            files: [
                "001-create.sql":
                    "--------\n-- Up\n--------\n\n\(create)\n--------\n-- Down\n--------\n\nDROP TABLE a;\n",
                "002-index.sql": "-- up\n\(index)--  DOWN\nDROP INDEX a_y;", "README.md": "", "schema.sql": "nonsense",
            ],
            versions: ["1", "2"], names: ["create", "index"], undoable: 2, objects: ["a", "a_y"]),
        LayoutCase(
            layout: .markers, about: "node-pg-migrate, one version without a way down",
            files: [
                "1704067200000_create.sql":
                    "-- Up Migration\n\(create)\n  -- Down Migration\nDROP TABLE a;\n",
                "1704153600000_index.sql": "--- UP migration\n\(index)",
            ],
            versions: ["1704067200000", "1704153600000"], names: ["create", "index"], undoable: 0,
            objects: ["a", "a_y"]),
        LayoutCase(
            layout: .markers, about: "tern",
            files: [
                "001_create.sql":
                    "-- about it\n\n\(create)\n---- create above / drop below ----\n\nDROP TABLE a;\n",
                "002_index.sql": "\(index)---- create above / drop below ----\nDROP INDEX a_y;",
            ],
            versions: ["1", "2"], names: ["create", "index"], undoable: 2, objects: ["a", "a_y"]),
        LayoutCase(
            layout: .numbered, about: "hyphens, no names, and several lengths",
            files: [
                "1-create.sql": create, "2.sql": "", "10-index_of_a.sql": index,
                "notes.sql": "nonsense",
            ],
            versions: ["1", "2", "10"], names: ["create", "2", "index_of_a"], undoable: 0,
            objects: ["a", "a_y"]),
        LayoutCase(
            layout: .numbered, about: "times alone, and longer than 64 bits",
            files: [
                "20240101000000.sql": create, "20240102000000.sql": "",
                "202401020000000000001.sql": index, "20240102000000000000123456789.sql": "",
            ],
            versions: [
                "20240101000000", "20240102000000", "20240102000000.1",
                "20240102000000.123456789",
            ],
            names: ["20240101000000", "20240102000000", "202401020000000000001", "20240102000000000000123456789"],
            undoable: 0, objects: ["a", "a_y"]),
        LayoutCase(
            layout: .numbered, about: "postgrator's names",
            files: [
                "001.do.create.sql": create, "001.undo.create.sql": "DROP TABLE a;",
                "002.do.sql": index, "002.undo.sql": "DROP INDEX a_y;",
            ],
            versions: ["1", "2"], names: ["create", "002.do"], undoable: 2,
            objects: ["a", "a_y"]),
        LayoutCase(
            layout: .numbered, about: "a V, dots, and the direction at the end",
            files: [
                "V0001.Create.it.up.sql": create, "V0001.Create.it.down.sql": "DROP TABLE a;",
                "V0002.Index.up.sql": index, "V0002.Index.down.sql": "DROP INDEX a_y;",
            ],
            versions: ["1", "2"], names: ["Create.it", "Index"], undoable: 2,
            objects: ["a", "a_y"]),
    ]
}
