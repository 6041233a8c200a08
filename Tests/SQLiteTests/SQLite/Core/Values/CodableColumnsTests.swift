import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("The mapping of columns to properties")
final class CodableColumnsTests {
    private let connection: Connection

    init() throws { connection = try Connection.inMemory() }

    private struct Person: Decodable, Equatable {
        var id: Int
        var name: String
        var age: Int8?
        var rank: Double
    }

    private static let ada = Person(id: 1, name: "Ada", age: 36, rank: 0.5)

    @Test(
        "Columns are found by their names in any order, among any others",
        arguments: [
            "1 AS id, 'Ada' AS name, 36 AS age, 0.5 AS rank", "0.5 AS rank, 36 AS age, 'Ada' AS name, 1 AS id",
            "'Ada' AS name, 0.5 AS rank, 1 AS id, 36 AS age",
            "9 AS a, 1 AS id, 9 AS b, 'Ada' AS name, 9 AS c, 36 AS age, 9 AS d, 0.5 AS rank, 9 AS e",
            "NULL AS ID, 36 AS age, 1 AS id, x'' AS \"\", 0.5 AS rank, 'Ada' AS name",
        ])
    func order(_ columns: String) throws {
        let sql = SQL(verbatim: "SELECT \(columns) UNION ALL SELECT \(columns)")
        #expect(try connection.decode(Person.self, sql) == [Self.ada, Self.ada])
        #expect(try connection.query(sql) { row in try row.decode(Person.self) }.count == 2)
    }

    private struct Backwards: Decodable, Equatable {
        var name: String
        var id: Int
    }

    @Test("Of columns with the same name the first counts, whatever the order of the properties")
    func duplicates() throws {
        // As a join's SELECT * returns them.
        let sql: SQL = "SELECT 1 AS id, 'Ada' AS name, 2 AS id, 'Bob' AS name"
        #expect(try connection.decode(Backwards.self, sql) == [Backwards(name: "Ada", id: 1)])
        struct Forwards: Decodable {
            var id: Int
            var name: String
        }
        let forwards = try connection.decode(Forwards.self, sql)
        #expect(forwards.map(\.id) == [1] && forwards.map(\.name) == ["Ada"])
    }

    @Test("Of adjacent columns with the same name the first counts, even if one of them is NULL")
    func neighbours() throws {
        struct Small: Decodable { var x: Int8? }
        let first = try connection.decode(Small.self, "SELECT 5 AS x, NULL AS x")
        #expect(first.map(\.x) == [5])
        let second = try connection.decode(Small.self, "SELECT NULL AS x, 5 AS x")
        #expect(second.map(\.x) == [nil])
    }

    private struct Keyed: Decodable, Equatable {
        var id: Int
        var title: String?
        var unused = "as it was"

        enum CodingKeys: String, CodingKey {
            case id = "film id"
            case title = "größe"
        }
    }

    @Test("Coding keys are the columns' names, and a property without a key keeps its default")
    func codingKeys() throws {
        let films = try connection.decode(Keyed.self, "SELECT 'x' AS \"größe\", 3 AS \"film id\", 'other' AS unused")
        #expect(films == [Keyed(id: 3, title: "x")])
        Refusal.expect(.decodeMismatch) {
            _ = try connection.decode(Keyed.self, "SELECT 3 AS id")
        }
    }

    private struct Custom: Decodable {
        var known: [String]
        var hasNumber: Bool
        var isNull: Bool
        var number: Int?
        var text: String?
        var flag: Bool?
        var big: UInt16?
        var again: [Int]

        enum CodingKeys: CodingKey { case number, text, flag, big, null, missing }

        init(from decoder: any Decoder) throws {
            let row = try decoder.container(keyedBy: CodingKeys.self)
            known = row.allKeys.map(\.stringValue)
            hasNumber = row.contains(.number) && !row.contains(.missing)
            isNull =
                try row.decodeNil(forKey: .null) && row.decodeNil(forKey: .missing) && !row.decodeNil(forKey: .number)
            number = try row.decodeIfPresent(Int.self, forKey: .number)
            text = try row.decodeIfPresent(String.self, forKey: .text)
            flag = try row.decodeIfPresent(Bool.self, forKey: .flag)
            big = try row.decodeIfPresent(UInt16.self, forKey: .big)
            again = try (0..<3).map { _ in try row.decode(Int.self, forKey: .number) }
        }
    }

    @Test("A type's own init(from:) can request the columns in any order and repeatedly") func ownDecoding() throws {
        let sql: SQL = "SELECT NULL AS \"null\", 1 AS flag, 9 AS other, 7 AS number, 'x' AS text"
        let value = try #require(try connection.decode(Custom.self, sql).first)
        #expect(value.known == ["null", "flag", "number", "text"])
        #expect(value.hasNumber && value.isNull)
        #expect(value.number == 7 && value.text == "x" && value.flag == true && value.big == nil)
        #expect(value.again == [7, 7, 7])
    }

    private struct Throwing: Decodable {
        init(from decoder: any Decoder) throws { throw Stop() }
    }

    @Test("An error that init(from:) throws is passed on, and the statement is free") func throwing() throws {
        try connection.execute("CREATE TABLE t (a)")
        try connection.execute("INSERT INTO t VALUES (1)")
        #expect(throws: Stop.self) { _ = try connection.decode(Throwing.self, "SELECT * FROM t") }
        try connection.execute("DROP TABLE t")
    }

    @Test("A cached statement's rows are decoded correctly after its table gets another column")
    func changedTable() throws {
        try connection.execute("CREATE TABLE t (id, name, rank)")
        try connection.execute("INSERT INTO t VALUES (1, 'Ada', 0.5)")
        let sql: SQL = "SELECT * FROM t"
        #expect(try connection.decode(Person.self, sql).map(\.age) == [nil])
        try connection.execute("ALTER TABLE t ADD COLUMN age DEFAULT 36")
        #expect(try connection.decode(Person.self, sql) == [Self.ada])
    }
}
