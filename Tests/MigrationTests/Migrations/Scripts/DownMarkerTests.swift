import Foundation
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Files whose ways up and down are divided by a comment that no layout knows.
@Suite("Unknown markers of a way down")
struct DownMarkerTests {
    /// The comments that other tools and people use, as they stand at the beginning of the way down.
    static let markers: [String] = {
        let words = ["down", "undo", "rollback", "revert", "backward", "downgrade", "roll back", "drop below"]
        let shapes: [(String) -> String] = [
            { "-- \($0)" }, { "--\($0.uppercased())" }, { "--- \($0)" }, { "-- [\($0)]" },
            { "-- @\($0)" }, { "-- +\($0)" }, { "-- ==== \($0.uppercased()) ====" },
            { "-- migrate \($0)" }, { "-- \($0.capitalized) Migration" }, { "-- \($0):" },
            { "/* \($0) */" }, { "/*\n * \($0.capitalized)\n */" }, { "  -- \($0)  " },
            { "---- create above / \($0) ----" }, { "-- \($0)\r" },
        ]
        return words.flatMap { word in shapes.map { $0(word) } }
    }()

    private static func file(_ marker: String) -> String {
        "CREATE TABLE t (a);\n\(marker)\nDROP TABLE t;\n"
    }

    @Test("statements after one are refused with its line", arguments: markers)
    func refused(marker: String) throws {
        #expect(Self.markers.count >= 48)
        let error = try #require(try LayoutFolder.error(["1_a.sql": Self.file(marker)], .sqlx), "\(marker)")
        #expect(error.code == .migrationMalformed)
        #expect(error.message.contains("1_a.sql:2"), "\(error.message)")
        #expect(error.hint?.contains("file of its own") == true)
    }

    @Test("every layout refuses it in a way up")
    func layouts() throws {
        let body = Self.file("-- Undo")
        let folders: [(MigrationLayout, [String: String])] = [
            (.native, ["0001_a.sql": "-- lockstep: up\n" + body]), (.golangMigrate, ["1_a.up.sql": body]),
            (.sqlx, ["1_a.sql": body]), (.dbmate, ["1_a.sql": "-- migrate:up\n\(body)-- migrate:down\n"]),
            (.goose, ["00001_a.sql": "-- +goose Up\n" + body]),
            (.refinery, ["V1__a.sql": body]), (.diesel, ["2024-01-31-120000_a/up.sql": body]),
            (.flyway, ["V1__a.sql": body]), (.prisma, ["20240101000000_a/migration.sql": body]),
            (.drizzle, ["20240101000000_a/migration.sql": body]),
            (
                .atlas,
                [
                    "1_a.sql": body,
                    "atlas.sum": try AtlasSumTests.sum([("1_a.sql", body)]),
                ]
            ),
            (.rusqlite, ["01-a/up.sql": body]), (.markers, ["1-a.sql": body]),
            (.numbered, ["1-a.sql": body]), (.byName, ["1-a.sql": body]),
        ]
        #expect(folders.map(\.0).count == MigrationLayout.allCases.count)
        for (layout, files) in folders {
            let error = try LayoutFolder.error(files, layout)
            #expect(error?.code == .migrationMalformed, "\(layout)")
        }
    }

    @Test("what is in a way down, has no statements after it, or says more is only a comment") func harmless() throws {
        let folders: [(MigrationLayout, [String: String])] = [
            (.golangMigrate, ["1_a.up.sql": "-- Up\n", "1_a.down.sql": "-- Down\nDROP TABLE t;\n"]),
            (.native, ["0001_a.sql": "-- lockstep: up\n-- lockstep: down\n-- undo\nDROP TABLE t;\n"]),
            (.goose, ["00001_a.sql": "-- +goose Up\n-- +goose Down\n-- rollback\nDROP TABLE t;\n"]),
            (.sqlx, ["1_a.sql": "CREATE TABLE t (a);\n-- Down\n\n;\n-- nothing to do\n"]),
            (.sqlx, ["1_a.sql": "CREATE TABLE t (a); -- undo\nSELECT 1;\n"]),
            (.sqlx, ["1_a.sql": "CREATE TABLE t (\n-- undo\na);\n"]),
            (.sqlx, ["1_a.sql": "-- to undo this, drop the table\nCREATE TABLE t (a);\n"]),
            (.sqlx, ["1_a.sql": "-- the rollback of 17 left this table\nSELECT 1;\n"]),
            (.sqlx, ["1_a.sql": "/* undo */ CREATE TABLE t (a);\n"]),
            (.sqlx, ["1_a.sql": "SELECT '\n-- down\n';\nSELECT 1;\n"]),
        ]
        for (layout, files) in folders {
            #expect(try LayoutFolder.error(files, layout) == nil, "\(files)")
        }
    }
}
