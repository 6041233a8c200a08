#if Foundation
import Foundation
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Functions for values as types read them")
final class FormFunctionTests {
    private let db: Connection

    init() throws { db = try Connection.inMemory() }

    private func value(_ function: String, _ literal: String) throws -> Value? {
        try db.value("SELECT \(verbatim: "lockstep_\(function)(\(literal))")", as: Value.self)
    }

    @Test(
        "A value in the form that is written, or NULL for what is not read",
        arguments: [
            ("date", "'2026-11-23 20:00:00'", "2026-11-23T20:00:00.000000Z"),
            ("date", "'2026-11-23T20:00:00.123456Z'", "2026-11-23T20:00:00.123456Z"),
            ("date", "'2026-11-23'", "2026-11-23T00:00:00.000000Z"),
            ("date", "'2026-11-23T23:59:59.9999999'", "2026-11-24T00:00:00.000000Z"),
            ("date", "'2026-02-30'", nil), ("date", "'2026-02-30T20:00:00.123456Z'", nil),
            ("date", "7", nil), ("date", "NULL", nil), ("date", "x'07'", nil),
            (
                "uuid", "'5f0c8a2e-3b64-4b7a-9c0e-1d2f3a4b5c6d'",
                "5F0C8A2E-3B64-4B7A-9C0E-1D2F3A4B5C6D"
            ),
            ("uuid", "'5F0c8a2e-3b64-4b7a-9c0e-1d2f3a4b5c6d'", nil), ("uuid", "''", nil),
            ("decimal", "'-001.50'", "-1.5"), ("decimal", "'-0.0'", "0"),
            ("decimal", "'1e5'", nil), ("decimal", "'12abc'", nil),
            ("url", "'https://example.org/a b'", "https://example.org/a%20b"),
            ("url", "'https://example.org/a?b=c'", "https://example.org/a?b=c"),
            ("url", "''", nil),
        ] as [(String, String, String?)])
    func texts(function: String, literal: String, expected: String?) throws {
        #expect(try value(function, literal) == expected.map(Value.text) ?? .null)
    }

    @Test("Numbers in the form that is written")
    func numbers() throws {
        #expect(try value("float", "0.1") == .real(Double(Float(0.1))))
        #expect(try value("float", "1e300") == .null)
        #expect(try value("float", "16777217") == .null)
        #expect(
            try value("milliseconds_1970", "1700000000000.6") == .integer(1_700_000_000_001))
        #expect(try value("seconds_1970", "7") == .real(7))
        #expect(try value("seconds_1970", "'7'") == .null)
    }

    @Test("Keys of decimal numbers sort as the numbers do")
    func decimalOrder() throws {
        var random = SplitMix64(state: 45)
        let numbers = (0..<2000).map { _ in
            Decimal(
                sign: Bool.random(using: &random) ? .plus : .minus, exponent: .random(in: -12...12, using: &random),
                significand: Decimal(UInt64.random(in: 0...300, using: &random)))
        }
        let keys = numbers.map { DecimalOrder.key($0.description) }
        for (one, other) in zip(numbers.indices, numbers.indices.dropFirst()) {
            #expect((numbers[one] < numbers[other]) == (keys[one] < keys[other]), "\(numbers[one]) \(numbers[other])")
            #expect((numbers[one] == numbers[other]) == (keys[one] == keys[other]))
        }
    }

    @Test("What looks canonical is read and written again as it is")
    func canonical() throws {
        var random = SplitMix64(state: 46)
        let cases: [(StoredForm, (inout SplitMix64) -> Value)] = [
            (.date, FormCases.date), (.uuid, FormCases.uuid),
            (.url, FormCases.url),
        ]
        for (form, make) in cases {
            for _ in 0..<2000 {
                guard case .text(let text) = make(&random) else { continue }
                guard form.isCanonical(text.utf8Span.span) else { continue }
                #expect(form.canonical(.text(text)) == .text(text))
            }
        }
    }

    @Test("A moment's notations are all that are read as it, to nine digits")
    func notations() throws {
        for text in [
            "2026-11-23T20:00:00.000000Z", "2026-11-23T00:00:00.000000Z",
            "2026-11-23T20:00:00.120000Z", "2026-11-23T20:00:00.000001Z",
        ] {
            let notations = DateText.notations(of: text)
            #expect(Set(notations).count == notations.count)
            #expect(notations.contains(text))
            for notation in notations {
                #expect(
                    StoredForm.date.canonical(.text(notation)) == .text(text), "\(notation)")
            }
        }
        #expect(DateText.notations(of: "2026-11-23T00:00:00.000000Z").count == 41)
        #expect(DateText.notations(of: "2026-11-23T00:00:00.123456Z").count == 16)
    }
}
#endif
