import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A folder as users of the tool have it, and the expected result.
struct LayoutCase: Sendable, CustomTestStringConvertible {
    let layout: MigrationLayout
    let about: String
    let files: [String: String]
    let versions: [String]
    let names: [String]
    /// The versions that can be undone, from the newest.
    let undoable: Int
    /// The final tables, indexes, triggers and views.
    let objects: [String]

    var testDescription: String { "\(layout.rawValue): \(about)" }

    private static let create = "CREATE TABLE a (x INTEGER PRIMARY KEY, y TEXT);\n"
    private static let index = "CREATE INDEX a_y ON a (y);\n"
    private static let trigger = """
        CREATE TRIGGER t AFTER INSERT ON a BEGIN
            UPDATE a SET y = CASE WHEN new.y = ';' THEN 'END;' ELSE y END WHERE x = new.x;
            SELECT 1;
        END;

        """

    static let all = own + newer

    private static let own: [LayoutCase] =
        [
            LayoutCase(
                layout: .native, about: "numbers, and words about the file before its marker",
                files: [
                    "0001_create.sql":
                        "-- about\n\n-- lockstep: up\n\(create)-- lockstep: down\nDROP TABLE a;",
                    "0002_index.sql": "-- lockstep: up\n\(index)",
                ],
                versions: ["1", "2"], names: ["create", "index"], undoable: 0,
                objects: ["a", "a_y"]),
            LayoutCase(
                layout: .native, about: "0.10 comes after 0.9",
                files: [
                    "0.10_index.sql": "-- lockstep: up\n\(index)-- lockstep: down\nDROP INDEX a_y;",
                    "0.9_create.sql": "-- lockstep: up\n\(create)-- lockstep: down\nDROP TABLE a;",
                ],
                versions: ["0.9", "0.10"], names: ["create", "index"], undoable: 2,
                objects: ["a", "a_y"]),
            LayoutCase(
                layout: .golangMigrate,
                about: "pairs whose names differ, gaps, and files of its own",
                files: [
                    "1_create.up.sql": create, "1_create.down.sql": "DROP TABLE a;",
                    "5_index.up.sql": index, "5_other.down.sql": "DROP INDEX a_y;",
                    "10_.up.sql": trigger, "10_.down.sql": "DROP TRIGGER t;",
                    "embed.go": "package x", "README.md": "#", "schema.sql": "CREATE TABLE no (x);",
                    "10_.up.sql~": "an editor's",
                ],
                versions: ["1", "5", "10"], names: ["create", "index", "10_.up"], undoable: 3,
                objects: ["a", "a_y", "t"]),
            LayoutCase(
                layout: .golangMigrate,
                about: "the greatest number, a dot too many, a way up alone",
                files: [
                    "000001_create.up..sql": create, "18446744073709551615_index.up.sql": index,
                    "18446744073709551615_index.down.sql": "DROP INDEX a_y;",
                ],
                versions: ["1", "18446744073709551615"], names: ["create", "index"], undoable: 1,
                objects: ["a", "a_y"]),
            LayoutCase(
                layout: .dbmate, about: "markers of every spacing, options, no underscore",
                files: [
                    "20240101000000_create.sql":
                        "-- by hand\n\n-- migrate:up\n\(create)\n--migrate:down transaction:true\nDROP TABLE a;",
                    "20240102000000.sql":
                        "--   migrate:up the index\n\(index)-- migrate:down\nDROP INDEX a_y;",
                    "schema.sql": "CREATE TABLE no (x);",
                ],
                versions: ["20240101000000", "20240102000000"],
                names: ["create", "20240102000000"],
                undoable: 2, objects: ["a", "a_y"]),
            LayoutCase(
                layout: .dbmate,
                about: "several ups and downs in one file, dates of several lengths",
                files: [
                    "20240101_create.sql":
                        "-- migrate:up\n\(create)-- migrate:down\nDROP INDEX a_y;\n"
                        + "-- migrate:up\n\(index)-- migrate:down\nDROP TABLE a;",
                    "20240102000001_trigger.sql":
                        "-- migrate:up\n\(trigger)-- migrate:down\nDROP TRIGGER t;",
                ],
                versions: ["20240101000000", "20240102000001"], names: ["create", "trigger"],
                undoable: 2, objects: ["a", "a_y", "t"]),
            LayoutCase(
                layout: .goose, about: "statements with and without borders, in any case",
                files: [
                    "00001_create.sql":
                        "-- a remark\n-- +goose Up\n\(create)\n-- +goose Down\nDROP TABLE a;\n",
                    "00002_index.sql":
                        "-- +goose ENVSUB OFF\n-- +goose UP\n-- +goose statementbegin\n"
                        + "CREATE INDEX a_y ON a (y)\n-- +goose StatementEnd\n"
                        + "-- +goose StatementBegin\n\(trigger)-- +goose StatementEnd\nSELECT 1;\n"
                        + "-- +goose Down\n-- +goose StatementBegin\nDROP TRIGGER t\n-- +goose StatementEnd\n"
                        + "DROP INDEX a_y;",
                    "helpers.go": "package migrations", "00002_index_test.go": "package migrations",
                ],
                versions: ["1", "2"], names: ["create", "index"], undoable: 2,
                objects: ["a", "a_y", "t"]),
            LayoutCase(
                layout: .sqlx, about: "single files beside pairs",
                files: [
                    "20240101000000_create.sql": create,
                    "20240102000000_index.sql": index, "notes.sql": "nonsense",
                ],
                versions: ["20240101000000", "20240102000000"], names: ["create", "index"],
                undoable: 0, objects: ["a", "a_y"]),
            LayoutCase(
                layout: .sqlx, about: "pairs, one of them outside a transaction",
                files: [
                    "1_create.up.sql": "-- no-transaction\n\(create)",
                    "1_create.down.sql": "DROP TABLE a;",
                    "2_index.up.sql": index, "2_index.down.sql": "DROP INDEX a_y;",
                ],
                versions: ["1", "2"], names: ["create", "index"], undoable: 2,
                objects: ["a", "a_y"]),
            LayoutCase(
                layout: .refinery, about: "both letters, subfolders, and modules that are none",
                files: [
                    "V1__create.sql": create, "later/U3__index_.sql": index, "mod.rs": "",
                    "notes.sql": "nonsense",
                ],
                versions: ["1", "3"], names: ["create", "index_"], undoable: 0,
                objects: ["a", "a_y"]),
            LayoutCase(
                layout: .diesel, about: "folders with hyphens, an empty one, files beside them",
                files: [
                    "00000000000000_diesel_initial_setup/up.sql": "",
                    "00000000000000_diesel_initial_setup/down.sql": "",
                    "2024-01-01-000000_create/up.sql": create, "2024-01-01-000000_create/down.sql": "DROP TABLE a;",
                    "2024-01-02-000000-0001_index/up.sql": index,
                    "2024-01-02-000000-0001_index/down.sql": "DROP INDEX a_y;", "2024-03-13_trigger/up.sql": trigger,
                    "2024-03-13_trigger/down.sql": "DROP TRIGGER t;",
                    "2024-03-13_trigger/metadata.toml":
                        "# settings\nrun_in_transaction = true # yes\n[other]\nrun_in_transaction = 7\n",
                    "2024-01-02-000000-0001_index/notes.sql": "nonsense", "schema.sql": "nonsense",
                ],
                versions: ["0", "20240101000000", "20240102000000.1", "20240313000000"],
                names: ["diesel_initial_setup", "create", "index", "trigger"], undoable: 4, objects: ["a", "a_y", "t"]),
            LayoutCase(
                layout: .flyway,
                about: "dots, underscores, ways down, subfolders, endings in capitals",
                files: [
                    "V1__create.sql": create, "U1__create.sql": "DROP TABLE a;",
                    "deep/er/V1_10__index.SQL": index, "U1.10__undo.sql": "DROP INDEX a_y;",
                    "V1.9__nothing.sql": "", "U1_9__nothing.sql": "", "notes.sql": "nonsense",
                ],
                versions: ["1", "1.9", "1.10"], names: ["create", "nothing", "index"], undoable: 3,
                objects: ["a", "a_y"]),
        ]
}
