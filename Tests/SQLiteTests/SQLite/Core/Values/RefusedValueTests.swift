import TestSupport
import Testing

@testable import EngineTestSupport

/// What the compiler says of values in SQL that no parameter takes.
@Suite(
    "Values that SQL does not take",
    .enabled(if: Compiler.isThere, "needs swiftc and the built modules"))
struct RefusedValueTests {
    private static let start = """
        import Lockstep
        enum Mood: String { case calm }
        struct Place { var x = 1 }
        let (mood, maybe, ids, place) = (Mood.calm, Mood?.none, [1, 2], Place())
        let store = try Store.inMemory()

        """

    @Test(
        "An enumeration, a list and a type of the program: the error says what to write",
        arguments: ["mood", "maybe", "ids", "place"])
    func refused(value: String) async throws {
        let errors = try await Compiler.errors(
            Self.start
                + "let found = try await store.read { db in try db.query(\"SELECT id FROM film WHERE mood = \\(\(value))\", as: Int.self) }"
        )
        #expect(
            errors.contains {
                $0.contains("of an enumeration write its rawValue")
                    && $0.contains("\\(list: values)")
            },
            "\(errors)")
    }

    @Test("What the error says to write compiles")
    func accepted() async throws {
        let errors = try await Compiler.errors(
            Self.start
                + """
                let found = try await store.read { db in
                    try db.query("SELECT 1 WHERE \\(mood.rawValue) = '' OR \\(maybe?.rawValue) = '' OR 1 IN \\(list: ids)", as: Int.self)
                }
                """)
        #expect(errors == [])
    }
}
