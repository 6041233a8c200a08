import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("The files of the next version")
struct MigrationDraftTests {
    /// 2026-11-22 08:30:59 UTC
    private static let now: Int64 = 1_795_336_259

    @Test(
        "The next number or time, in the layout of the set",
        arguments: [
            (MigrationLayout.native, [], ["0001_x.sql"]),
            (.native, ["0009_a.sql"], ["0010_x.sql"]), (.native, ["1_a.sql"], ["2_x.sql"]),
            (.native, ["20240131120000_a.sql"], ["20261122083059_x.sql"]),
            (.golangMigrate, [], ["000001_x.up.sql", "000001_x.down.sql"]),
            (.golangMigrate, ["7_a.up.sql"], ["8_x.up.sql", "8_x.down.sql"]), (.dbmate, [], ["20261122083059_x.sql"]),
            (.goose, [], ["00001_x.sql"]), (.goose, ["00099_a.sql"], ["00100_x.sql"]),
            (.sqlx, [], ["20261122083059_x.up.sql", "20261122083059_x.down.sql"]),
            (.sqlx, ["3_a.sql"], ["4_x.sql"]), (.refinery, ["V1__a.sql"], ["V2__x.sql"]),
            (.flyway, [], ["V1__x.sql"]),
            (.prisma, [], ["20261122083059_x/migration.sql"]),
            (.prisma, ["20240131120000_a/migration.sql"], ["20261122083059_x/migration.sql"]),
            (.rusqlite, [], ["01-x/up.sql", "01-x/down.sql"]),
            (.rusqlite, ["01-a/up.sql"], ["02-x/up.sql", "02-x/down.sql"]), (.markers, [], ["001-x.sql"]),
            (.markers, ["09_a.sql"], ["10_x.sql"]), (.numbered, [], ["001-x.sql"]),
            (.numbered, ["007.sql"], ["008-x.sql"]), (.numbered, ["9-2nd.sql"], ["10-x.sql"]),
            (.numbered, ["20240131120000.sql"], ["20261122083059-x.sql"]),
            (.numbered, ["001.do.a.sql"], ["002.do.x.sql", "002.undo.x.sql"]),
            (.numbered, ["V0001.A.up.sql"], ["V0002.x.up.sql", "V0002.x.down.sql"]),
            (.diesel, [], ["2026-11-22-083059_x/up.sql", "2026-11-22-083059_x/down.sql"]),
        ])
    func names(layout: MigrationLayout, existing: [String], expected: [String]) throws {
        let set = try MigrationSet(
            name: "test", layout: layout,
            files: existing.map { name in
                let markers: [MigrationLayout: String] = [
                    .native: "-- lockstep: up\n", .goose: "-- +goose Up\n", .dbmate: "-- migrate:up\n",
                ]
                return (name: name, content: (markers[layout] ?? "") + "CREATE TABLE a (b);\n")
            })
        let draft = try MigrationDraft(named: "x", after: set, now: Self.now)
        #expect(draft.files.map(\.path) == expected)
        // The new files are read again, after the existing ones.
        let temporary = try TemporaryFolder()
        let folder = temporary.file("test")
        try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: false)
        for path in try draft.write(into: folder) where path.string.contains("up") {
            try Bytes.write(Array("CREATE TABLE x (y);\n".utf8), to: path)
        }
        let again = try MigrationSet(folder: folder, layout: layout)
        #expect(again.files.count == 1)
        #expect(again.files.first?.name == "x")
        Refusal.expect(.alreadyExists) { try draft.write(into: folder) }
    }

    @Test(
        "Names that cannot be file names are refused",
        arguments: ["", "a b", "../x", "a/b", "ä", "a.sql", String(repeating: "x", count: 201)])
    func badNames(name: String) throws {
        let set = try MigrationSet(name: "test", layout: .native, files: [])
        Refusal.expect(.migrationMalformed) { _ = try MigrationDraft(named: name, after: set) }
    }

    @Test("Where the tool keeps a list of its versions, only the tool makes one")
    func makers() throws {
        for (layout, maker) in [(MigrationLayout.drizzle, "drizzle-kit generate"), (.atlas, "atlas migrate new")] {
            let set = try MigrationSet(name: "test", layout: layout, files: [])
            let error = Refusal.error(.migrationMalformed) {
                _ = try MigrationDraft(named: "x", after: set)
            }
            #expect(error?.hint?.contains(maker) == true)
        }
    }

    @Test("After a version of several parts the next one is unknown")
    func parts() throws {
        let set = try MigrationSet(name: "test", layout: .flyway, files: [(name: "V1.2__a.sql", content: "SELECT 1;")])
        Refusal.expect(.migrationMalformed) { _ = try MigrationDraft(named: "x", after: set) }
    }
}
