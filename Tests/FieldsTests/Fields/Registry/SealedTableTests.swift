import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Shapes of tables with sealed columns")
struct SealedTableTests {
    private func column(
        _ name: String, _ type: String, isNotNull: Bool = false, key: Int = 0
    ) -> SealedTable.Column {
        SealedTable.Column(
            name: name, type: type, isNotNull: isNotNull, defaultSQL: nil, keyPosition: key, isGenerated: false)
    }

    @Test("A table made from its parts is the one that is read from a file")
    func parts() throws {
        let connection = try Connection.inMemory()
        let sql = "CREATE TABLE movies (id INTEGER PRIMARY KEY, title TEXT NOT NULL, year INT)"
        try connection.execute(SQL(verbatim: sql))
        let id = column("id", "INTEGER", key: 1)
        let made = try SealedTable(
            name: "movies", columns: [id, column("title", "TEXT", isNotNull: true), column("year", "INT")],
            key: .row(id), hasRowID: true, isStrict: false, sql: sql)
        #expect(try SealedTable("Movies", connection) == made)
        #expect(made.boundColumns(.random) == [id])
    }

    @Test("Two columns of one name are refused, also in parts")
    func twice() {
        Refusal.expect(.foreignSchema, about: .init(table: "t", column: "A")) {
            _ = try SealedTable(
                name: "t", columns: [column("a", "TEXT"), column("A", "TEXT")], key: .none,
                hasRowID: true, isStrict: false, sql: "")
        }
    }
}
