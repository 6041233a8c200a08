import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("JSON of other programs")
struct JSONDocumentTests {
    @Test("Every kind of value is read")
    func values() {
        let text = """
             {"a": [1, -2.5e3, true, false, null], "b": {"ü\\u00fc\\ud83d\\ude00\\n\\"": "x"}, "a2": [], "e": {}}
            """
        #expect(
            JSONDocument(text).value
                == .object([
                    "a": .list([
                        .number("1"), .number("-2.5e3"), .flag(true), .flag(false), .null,
                    ]),
                    "b": .object(["üü😀\n\"": .text("x")]), "a2": .list([]), "e": .object([:]),
                ]))
        #expect(JSONDocument("7").value == .number("7"))
    }

    @Test(
        "Anything else is none",
        arguments: [
            "", " ", "{", "[1,]", "[1 2]", "{\"a\"}", "{\"a\":}", "{1: 2}", "tru", "nul", "\"a",
            "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\udc00\"", "\"\n\"", "--1", "1x", "[1] 2",
            "'a'",
            String(repeating: "[", count: 10_000),
            String(repeating: "[", count: 100) + String(repeating: "]", count: 100),
        ])
    func refusals(_ text: String) {
        #expect(JSONDocument(text).value == nil)
    }
}
