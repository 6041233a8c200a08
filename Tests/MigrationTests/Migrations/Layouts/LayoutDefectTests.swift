import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A folder with one defect, and the place that the error reports.
struct LayoutDefect: Sendable, CustomTestStringConvertible {
    let layout: MigrationLayout
    let files: [String: String]
    /// What the message must contain: the file, the line if there is one, and the defect.
    let reported: [String]
    var code = LockstepError.Code.migrationMalformed

    init(
        _ layout: MigrationLayout, _ files: [String: String], _ reported: String...,
        code: LockstepError.Code = .migrationMalformed
    ) {
        (self.layout, self.files, self.reported, self.code) = (layout, files, reported, code)
    }

    var testDescription: String {
        "\(layout.rawValue): \(files.keys.sorted().joined(separator: " ")), \(reported)"
    }

    static let all: [LayoutDefect] = names + pairs + dbmate + goose + prefixed + diesel + flyway

    private static let names = [
        LayoutDefect(.native, ["0001_x.SQL": "-- lockstep: up\n"], "0001_x.SQL"),
        LayoutDefect(.golangMigrate, ["1_a.up.sql": "", "0002_b.sql": ""], "0002_b.sql"),
        LayoutDefect(.golangMigrate, ["1_a.up.sql": "", "2_b.up.json": ""], "2_b.up.json", "SQL"),
        LayoutDefect(.golangMigrate, ["18446744073709551616_a.up.sql": ""], "64-bit"),
        LayoutDefect(.sqlx, ["3.sql": ""], "3.sql"), LayoutDefect(.sqlx, ["a_b.sql": ""], "a_b.sql"),
        LayoutDefect(.sqlx, ["-1_b.sql": ""], "-1_b.sql"),
        LayoutDefect(.sqlx, ["9223372036854775808_b.sql": ""], "9223372036854775808_b.sql"),
        LayoutDefect(.dbmate, ["99999999999999999999_b.sql": ""], "99999999999999999999_b.sql"),
        LayoutDefect(.dbmate, ["1_b.SQL": ""], "1_b.SQL"), LayoutDefect(.goose, ["0_b.sql": ""], "0_b.sql"),
        LayoutDefect(.goose, ["schema.sql": ""], "schema.sql"), LayoutDefect(.goose, ["00001.sql": ""], "00001.sql"),
    ]

    private static let pairs = [
        LayoutDefect(.golangMigrate, ["2_a.down.sql": ""], "2_a.down.sql", "version 2"),
        LayoutDefect(.sqlx, ["2_a.down.sql": "", "1_a.sql": ""], "2_a.down.sql"),
        LayoutDefect(.flyway, ["U2__a.sql": ""], "U2__a.sql", "version 2"),
        LayoutDefect(
            .golangMigrate, ["1_a.up.sql": "", "1_a.down.sql": "", "01_b.down.sql": ""],
            "1_a.down.sql", "01_b.down.sql", code: .versionDuplicate),
        LayoutDefect(.sqlx, ["1_a.sql": "SELECT 1;\n-- migrate:down\nSELECT 2;"], "1_a.sql:2", "dbmate"),
        LayoutDefect(
            .golangMigrate, ["1_a.up.sql": "", "1_a.down.sql": "\n-- +goose Down"], "1_a.down.sql:2", "goose"),
        LayoutDefect(.sqlx, ["1_a.sql": "-- +migrate Up\n"], "1_a.sql:1", "sql-migrate"),
        LayoutDefect(.sqlx, ["1_a.sql": "\n\n-- lockstep: up\n"], "1_a.sql:3", "native"),
        LayoutDefect(.sqlx, ["1_a.sql": "-- lockstep: frob\n"], "1_a.sql:1", "frob"),
        LayoutDefect(.sqlx, ["1_a.sql": "SELECT 1;\r-- two\rSELECT 2;\r"], "1_a.sql", "carriage return"),
        LayoutDefect(.sqlx, ["1_a.sql": "SELECT 1;\n-- two\rSELECT 2;\n"], "1_a.sql", "carriage return"),
    ]

    private static let dbmate = [
        LayoutDefect(.dbmate, ["1_a.sql": "SELECT 1;"], "1_a.sql", "-- migrate:up"),
        LayoutDefect(.dbmate, ["1_a.sql": ""], "1_a.sql", "-- migrate:up"),
        LayoutDefect(.dbmate, ["1_a.sql": "-- migrate:up\n"], "1_a.sql:1", "-- migrate:down"),
        LayoutDefect(.dbmate, ["1_a.sql": "SELECT 1;\n-- migrate:up\n-- migrate:down\n"], "1_a.sql:1"),
        LayoutDefect(
            .dbmate, ["1_a.sql": "-- lockstep: foreign keys off\n-- migrate:up\n-- migrate:down"], "1_a.sql:1"),
        LayoutDefect(.dbmate, ["1_a.sql": "-- migrate:down\n-- migrate:up\n"], "1_a.sql:1"),
        LayoutDefect(.dbmate, ["1_a.sql": "-- migrate:up\n-- migrate:up\n"], "1_a.sql:2"),
        LayoutDefect(
            .dbmate, ["1_a.sql": "-- migrate:up\n-- migrate:down\n-- migrate:down\n"],
            "1_a.sql:3"),
        LayoutDefect(
            .dbmate,
            ["1_a.sql": "-- migrate:up\n-- migrate:down\n-- migrate:up\nSELECT 1;\n"],
            "1_a.sql:3", "-- migrate:down"),
        LayoutDefect(.dbmate, ["1_a.sql": "-- migrate:up\n-- migrate:dwon\n"], "1_a.sql:2"),
        LayoutDefect(.dbmate, ["1_a.sql": "-- migrate:up\n-- Migrate:Down\n"], "1_a.sql:2"),
        LayoutDefect(.dbmate, ["1_a.sql": "-- migrate:up\n -- migrate:down\n"], "1_a.sql:2"),
        LayoutDefect(
            .dbmate, ["1_a.sql": "-- migrate:up transacton:false\n-- migrate:down\n"],
            "1_a.sql:1", "transacton:false"),
    ]

    private static let goose = [
        LayoutDefect(.goose, ["1_a.sql": "SELECT 1;"], "1_a.sql", "-- +goose Up"),
        LayoutDefect(.goose, ["1_a.sql": "SELECT 1;\n-- +goose Up\n"], "1_a.sql:1"),
        LayoutDefect(.goose, ["1_a.sql": "-- +goose Down\n"], "1_a.sql:1"),
        LayoutDefect(.goose, ["1_a.sql": "-- +goose Up\n-- +goose Up\n"], "1_a.sql:2"),
        LayoutDefect(.goose, ["1_a.sql": "-- +goose Up\n-- +goose Down\n-- +goose Down\n"], "1_a.sql:3"),
        LayoutDefect(.goose, ["1_a.sql": "-- +goose Up\n-- +goose Sideways\n"], "1_a.sql:2"),
        LayoutDefect(.goose, ["1_a.sql": "-- +goose Up\n-- +goose\n"], "1_a.sql:2"),
        LayoutDefect(.goose, ["1_a.sql": "-- +goose Up\n-- see +goose docs\n"], "1_a.sql:2"),
        LayoutDefect(.goose, ["1_a.sql": "-- +goose Up\n  -- +goose Down\n"], "1_a.sql:2"),
        LayoutDefect(
            .goose, ["1_a.sql": "-- +goose Up\n-- +goose ENVSUB ON\nSELECT '${X}';"], "1_a.sql:2", "environment"),
        LayoutDefect(.goose, ["1_a.sql": "-- +goose Up\n\n-- +goose StatementBegin\nSELECT 1;\n"], "1_a.sql:3"),
        LayoutDefect(
            .goose, ["1_a.sql": "-- +goose Up\n-- +goose StatementBegin\n-- +goose StatementBegin\n"], "1_a.sql:3"),
        LayoutDefect(.goose, ["1_a.sql": "-- +goose Up\nSELECT 1;\n-- +goose StatementEnd\n"], "1_a.sql:3"),
        LayoutDefect(
            .goose, ["1_a.sql": "-- +goose StatementBegin\n-- +goose Up\n"], "1_a.sql:1"),
        LayoutDefect(
            .goose,
            ["1_a.sql": "-- +goose Up\n-- +goose StatementBegin\n-- +goose Down\n"], "1_a.sql:2"),
    ]

    private static let prefixed = [
        LayoutDefect(.refinery, ["V1_x.sql": ""], "V1_x.sql"), LayoutDefect(.refinery, ["v1__x.sql": ""], "v1__x.sql"),
        LayoutDefect(.refinery, ["V1.1__x.sql": ""], "V1.1__x.sql"),
        LayoutDefect(.refinery, ["V1__a-b.sql": ""], "V1__a-b.sql"),
        LayoutDefect(.refinery, ["V1__x.SQL": ""], "V1__x.SQL"), LayoutDefect(.refinery, ["1_x.sql": ""], "1_x.sql"),
        LayoutDefect(.refinery, ["V9223372036854775808__x.sql": ""], "V9223372036854775808"),
        LayoutDefect(.refinery, ["a/V2__y.sql": "\n-- migrate:up"], "a/V2__y.sql:2"),
    ]

    private static let diesel = [
        LayoutDefect(.diesel, ["1_a/down.sql": ""], "1_a/down.sql", "up.sql"),
        LayoutDefect(.diesel, ["1_a/up.sql": "", "helpers/x.txt": ""], "helpers/x.txt"),
        LayoutDefect(.diesel, ["first/up.sql": ""], "first/up.sql"),
        LayoutDefect(
            .diesel, ["1_a/up.sql": "", "1_a/metadata.toml": ""], "1_a/metadata.toml"),
        LayoutDefect(
            .diesel, ["1_a/up.sql": "", "1_a/metadata.toml": "run_in_transaction = yes"], "1_a/metadata.toml"),
        LayoutDefect(
            .diesel, ["1_a/up.sql": "", "1_a/metadata.toml": "run_in_transaction = true\nrun_in_transaction = false"],
            "1_a/metadata.toml"), LayoutDefect(.diesel, ["10_a/up.sql": "", "9_b/up.sql": ""], "10_a", "9_b"),
        LayoutDefect(
            .dbmate, ["10_a.sql": "-- migrate:up\n-- migrate:down", "9_b.sql": "-- migrate:up\n-- migrate:down"],
            "10_a.sql", "9_b.sql"),
    ]

    private static let flyway = [
        LayoutDefect(.flyway, ["V1_x.sql": ""], "V1_x.sql"), LayoutDefect(.flyway, ["V__x.sql": ""], "V__x.sql"),
        LayoutDefect(.flyway, ["V1..2__x.sql": ""], "V1..2__x.sql"),
        LayoutDefect(.flyway, ["v1__x.sql": ""], "v1__x.sql"), LayoutDefect(.flyway, ["R1__x.sql": ""], "R1__x.sql"),
        LayoutDefect(.flyway, ["R_x.sql": ""], "R_x.sql"),
        LayoutDefect(.flyway, ["V99999999999999999999__x.sql": ""], "V99999999999999999999"),
        LayoutDefect(.flyway, ["beforeMigrate.sql": ""], "beforeMigrate.sql", "callback"),
        LayoutDefect(.flyway, ["afterMigrate__x.sql": ""], "afterMigrate__x.sql", "callback"),
        LayoutDefect(.flyway, ["V1__x.sql": "", "U1__x.java": ""], "U1__x.java", "Java"),
        LayoutDefect(.flyway, ["R__x.kt": "", "V2__y.sql": ""], "R__x.kt", "Kotlin"),
        LayoutDefect(.flyway, ["V1__x.sql": "SELECT 1;\nSELECT ${x};"], "V1__x.sql:2"),
        LayoutDefect(.flyway, ["V1__x.sql": "SELECT\n 'a ${x} b';"], "V1__x.sql:2"),
        LayoutDefect(.flyway, ["a/R__x.sql": "\n\nSELECT \"${x}\";"], "a/R__x.sql:3"),
        LayoutDefect(
            .flyway, ["V1__x.sql": "", "V1__x.sql.conf": "shouldExecute=false"],
            "V1__x.sql.conf", "shouldExecute"),
        LayoutDefect(
            .flyway, ["V1__x.sql": "", "V1__x.sql.conf": "executeInTransaction=no"],
            "V1__x.sql.conf", "executeInTransaction"),
    ]
}

@Suite("Defects of migration folders")
struct LayoutDefectTests {
    @Test(
        "One defect is one error that names the place and the remedy", arguments: LayoutDefect.all)
    func defect(defect: LayoutDefect) throws {
        let error = try #require(try LayoutFolder.error(defect.files, defect.layout), "it was accepted")
        #expect(error.code == defect.code)
        for reported in defect.reported {
            #expect(error.message.contains(reported), "\(error.message)")
        }
        #expect(error.hint?.isEmpty == false)
        let context = error.context
        #expect(context.set == "set")
        #expect(context.file.map { error.message.contains($0) } == true, "\(context)")
        let place = defect.reported[0].split(separator: ":").map(String.init)
        guard place.count == 2, let line = Int(place[1]) else { return }
        #expect(context.file == place[0] && context.line == line, "\(context)")
    }
}
