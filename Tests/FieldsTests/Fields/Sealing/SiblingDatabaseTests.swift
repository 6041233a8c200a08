import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Two databases of one dataset that sealed by themselves: nothing of one counts in the other.
@Suite("What an operator moves between two databases of one dataset")
struct SiblingDatabaseTests {
    private let one: SealedTableWorkbench
    private let other: SealedTableWorkbench

    init() throws {
        one = try SealedTableWorkbench()
        other = try SealedTableWorkbench(keys: one.keys)
        for bench in [one, other] {
            let connection = try bench.open()
            try connection.protect("title", of: "film", keys: bench.keys, indexes: [.init(.exact, bits: 63)])
            try connection.protect("note", of: "film", keys: bench.keys, mode: .deterministic)
        }
    }

    /// A value of the other database's file.
    private func taken(_ sql: String) throws -> Value? {
        try other.open([]).value(SQL(verbatim: sql), as: Value.self)
    }

    @Test("A cell of the same place", arguments: ["title", "note"])
    func cell(_ column: String) throws {
        let cell = try #require(try taken("SELECT \(column) FROM film WHERE id = 1"))
        try one.open([]).execute("UPDATE film SET \(name: column) = ? WHERE id = 1", cell)
        let connection = try one.open()
        Refusal.expect(.cellForged, about: .init(table: "film", column: column)) {
            _ = try connection.texts("SELECT \(column) FROM film_open WHERE id = 1")
        }
        let findings = try CellsFindings.of(one)
        #expect(findings.contains { $0.contains("film.\(column) not authentic") }, "\(findings)")
    }

    @Test("Tokens of equal values differ, and one that was moved is found")
    func token() throws {
        let sql = "SELECT title_exact_token FROM film WHERE id = 1"
        let token = try #require(try taken(sql))
        #expect(try one.open([]).value(SQL(verbatim: sql), as: Value.self) != token)
        try one.open([]).execute("UPDATE film SET title_exact_token = ? WHERE id = 1", token)
        let findings = try CellsFindings.of(one)
        #expect(findings.contains { $0.contains("film.title with a blind index of another value") }, "\(findings)")
    }

    @Test("A row of the registry", arguments: ["lockstep_column", "lockstep_index"])
    func registryRow(_ table: String) throws {
        let rows = try TableRows(table, other.open([]))
        let operatorConnection = try one.open([])
        try operatorConnection.with(rights: .engine) { try rows.write(operatorConnection) }
        Refusal.expect(.registryForged, about: .init(table: "film", column: "title")) {
            _ = try one.open()
        }
    }
}

/// The findings of the check of cells.
private enum CellsFindings {
    static func of(_ bench: SealedTableWorkbench) throws -> [String] {
        var verification = Verification(bench.path, sets: [])
        verification.fieldKeys = [bench.keys]
        return try verification.run(key: bench.databaseKey()).messages
    }
}
