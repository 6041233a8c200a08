import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Random schemas")
struct RandomSchemaTests {
    @Test("Two random spellings of a random schema do not differ", arguments: UInt64(0)..<120)
    func spellings(seed: UInt64) throws {
        var random = SplitMix64(state: seed &+ 1_000_000)
        let schema = RandomSchema(seed: seed)
        let one = try SchemaSnapshotTests.snapshot(schema.written(&random))
        let other = try SchemaSnapshotTests.snapshot(schema.written(&random))
        #expect(one.differences(from: other) == [])
    }

    @Test("A random change is found, and its object named", arguments: UInt64(0)..<250)
    func changes(seed: UInt64) throws {
        var random = SplitMix64(state: seed &+ 2_000_000)
        let schema = RandomSchema(seed: seed)
        var changed = schema
        let change = changed.change(&random)
        let object = try #require(change)
        let differences = try SchemaSnapshotTests.snapshot(changed.written(&random))
            .differences(from: SchemaSnapshotTests.snapshot(schema.written(&random)))
        #expect(differences.map(\.type) == [object.type])
        #expect(differences.map(\.name.asciiLowercased) == [object.name])
        #expect(differences.allSatisfy { $0.change == .different && !$0.details.isEmpty })
    }

    // MARK: Nothing is passed over

    /// The optional parts of a definition that make no difference.
    private static let silent: Set<String> = [
        "asc", "virtual", "generated", "always", "before", "for", "each", "row", "no", "action",
        "on", "update", "delete", "main", ".", "if", "not", "exists", "(", ")", ",", ";",
    ]

    @Test(
        "Tokens omitted, doubled, exchanged or replaced: equal forms are equal to SQLite",
        arguments: UInt64(0)..<12)
    func tokens(seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        var accepted = 0
        for _ in 0..<150 {
            let index = Int.random(in: 2..<DriftCases.base.count, using: &random)
            let statement = DriftCases.base[index]
            let mutated = Self.mutated(statement, &random)
            let prelude = Array(DriftCases.base[..<index])
            guard let other = try? Self.facts(prelude, mutated) else { continue }
            accepted += 1
            let base = try Self.facts(prelude, statement)
            guard base.snapshot == other.snapshot else { continue }
            #expect(base.pragmas == other.pragmas, "\(mutated)")
            let left = Self.symmetricDifference(statement, mutated)
            #expect(left.isSubset(of: Self.silent), "\(left): \(mutated)")
        }
        #expect(accepted > 10)
    }

    private static func mutated(_ statement: String, _ random: inout SplitMix64) -> String {
        let bytes = Array(statement.utf8)
        var words = SQLTokens(statement).filter { $0.kind != .space }.map {
            String(decoding: bytes[$0.range], as: UTF8.self)
        }
        let place = Int.random(in: 2..<words.count, using: &random)
        let pool = [
            "NOT", "NULL", "UNIQUE", "DESC", "ASC", ",", "a", "b", "c", "1", "'x'", "VIRTUAL",
            "INITIALLY", "DEFERRED", "CONSTRAINT", "COLLATE", "OR", "AND", "IS", "STRICT",
        ]
        switch Int.random(in: 0..<5, using: &random) {
        case 0: words.remove(at: place)
        case 1: words.insert(words[place], at: place)
        case 2: words.swapAt(place, Int.random(in: 2..<words.count, using: &random))
        case 3: words.insert(pool.randomElement(using: &random) ?? "", at: place)
        default: words[place] = pool.randomElement(using: &random) ?? ""
        }
        return words.joined(separator: " ")
    }

    private static func symmetricDifference(_ one: String, _ other: String) -> Set<String> {
        var counts: [String: Int] = [:]
        for (sql, step) in [(one, 1), (other, -1)] {
            for token in SQLTokens.normalize(sql).split(separator: " ") {
                counts[String(token), default: 0] += step
            }
        }
        return Set(counts.filter { $0.value != 0 }.keys)
    }

    /// SQLite's own information on every table, beside the snapshot.
    private static func facts(
        _ prelude: [String], _ statement: String
    ) throws -> (snapshot: SchemaSnapshot, pragmas: [String]) {
        let connection = try Connection.inMemory()
        for sql in prelude + [statement] { try connection.execute(SQL(verbatim: sql)) }
        let names = try connection.query(
            "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
        ) { row in try row[0] as String }
        var pragmas: [String] = []
        for name in names {
            for query: SQL in [
                "SELECT * FROM pragma_table_xinfo(?)", "SELECT * FROM pragma_foreign_key_list(?)",
                "SELECT wr, strict FROM pragma_table_list WHERE schema = 'main' AND name = ?",
                """
                SELECT l."unique", l.partial, x.* FROM pragma_index_list(?) AS l,
                pragma_index_xinfo(l.name) AS x
                """,
            ] {
                pragmas += try connection.query(query, name) { row in
                    let values = try (0..<row.count).map { try row[$0] as Value }
                    return "\(name) \(values)".asciiLowercased.filter { $0 != " " }
                }
            }
        }
        return (try SchemaSnapshot(connection), pragmas.sorted())
    }
}
