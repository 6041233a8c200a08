import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct NormaliserTests {
    @Test(
        "each has one name, and is read by it",
        arguments: [
            (.exact, "exact"), (.lower, "lower"), (.casefold, "casefold"), (.digits, "digits"),
            (.email, "email"), (.prefix(1), "prefix-1"), (.prefix(64), "prefix-64"),
            (.bucket(1), "bucket-1"), (.bucket(86_400_000_000), "bucket-86400000000"),
            (.bucket(9_007_199_254_740_992), "bucket-9007199254740992"),
        ] as [(Normaliser, String)])
    func names(_ normaliser: Normaliser, _ name: String) throws {
        #expect(normaliser.spelling == name)
        #expect("\(normaliser)" == name)
        #expect(try Normaliser(name) == normaliser)
    }

    @Test(
        "no other name is read",
        arguments: [
            "", "Exact", "exact ", "casefold/1", "casefold/2", "prefix", "prefix-", "prefix-0", "prefix-65",
            "prefix--1", "prefix-+3", "prefix-03", "prefix-3 ", "prefix-٣", "prefix-99999999999999999999", "bucket-0",
            "bucket--10", "bucket-1.5", "bucket-9007199254740993", "bucket-010", "suffix-3", "e\u{301}xact",
        ])
    func noNames(_ name: String) {
        Refusal.expect(.misuse) { _ = try Normaliser(name) }
    }

    @Test("impossible lengths and widths are refused where they are used, too")
    func impossible() {
        for normaliser in [Normaliser.prefix(0), .prefix(65), .prefix(-1)] {
            Refusal.expect(.misuse) { _ = try normaliser.normalised(.text("abc")) }
        }
        for normaliser in [Normaliser.bucket(0), .bucket(-1), .bucket(.max)] {
            Refusal.expect(.misuse) { _ = try normaliser.normalised(.integer(1)) }
        }
    }

    private func text(_ normaliser: Normaliser, _ text: String) throws -> String? {
        try normaliser.normalised(.text(text)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Unlike `==` between texts, which follows Unicode's equivalence.
    private func bytes(_ normaliser: Normaliser, _ value: Value) throws -> String? {
        try normaliser.normalised(value).map { Hex.encode($0) }
    }

    @Test(
        "exact is the payload of a cell, for every type",
        arguments: CellTests.values.filter { $0 != .null && $0 != .real(-0.0) })
    func exact(_ value: Value) throws {
        var plaintext = [UInt8](repeating: 0, count: try CellPlaintext.length(of: value, .none))
        var span = plaintext.mutableSpan
        CellPlaintext.write(value, .none, to: &span)
        #expect(try Normaliser.exact.normalised(value) == Array(plaintext.dropFirst()))
    }

    @Test("exact treats both zeros as one, and distinguishes composed characters from others")
    func exactEdges() throws {
        #expect(try bytes(.exact, .real(-0.0)) == "0000000000000000")
        #expect(try bytes(.exact, .real(0.0)) == "0000000000000000")
        #expect(try bytes(.exact, .text("é")) == "c3a9")
        #expect(try bytes(.exact, .text("e\u{301}")) == "65cc81")
        #expect(try bytes(.exact, .text("")) == "")
        #expect(try bytes(.exact, .blob([])) == "")
    }

    static let all: [Normaliser] = [.exact, .lower, .casefold, .digits, .email, .prefix(3), .bucket(10)]

    @Test("NULL and NaN have no entry", arguments: all)
    func none(_ normaliser: Normaliser) throws {
        #expect(try normaliser.normalised(.null) == nil)
        guard normaliser.accepts(.real) else { return }
        #expect(try normaliser.normalised(.real(.nan)) == nil)
        #expect(try normaliser.normalised(.real(-.signalingNaN)) == nil)
    }

    @Test(
        "a type that a normaliser does not accept is an error, which names both and not the value")
    func types() throws {
        for normaliser in Self.all {
            for value in CellTests.values where value != .null {
                if normaliser.accepts(value.tag) {
                    _ = try normaliser.normalised(value)
                } else {
                    Refusal.expect(.misuse) { _ = try normaliser.normalised(value) }
                }
            }
        }
        #expect(CellTag.allCases.filter(Normaliser.casefold.accepts) == [.text])
        #expect(CellTag.allCases.filter(Normaliser.bucket(7).accepts) == [.integer, .real])
        #expect(!Normaliser.exact.accepts(.null))
        do {
            _ = try Normaliser.casefold.normalised(.real(12.5))
            Issue.record("a number was folded")
        } catch {
            #expect(error.message.contains("casefold") && error.message.contains("real"))
            #expect(!error.description.contains("12.5"))
        }
    }

    @Test("lower changes only A to Z")
    func lower() throws {
        #expect(try text(.lower, "AZ@[`az{ÀÉ\0") == "az@[`az{ÀÉ\0")
        #expect(try bytes(.lower, .text("É")) == "c389")
        #expect(try text(.lower, "") == "")
        #expect(try bytes(.lower, .text("\u{212A}")) == "e284aa")
    }

    @Test("casefold finds texts without regard to case and composition")
    func casefold() throws {
        #expect(try bytes(.casefold, .text("STRASSE")) == bytes(.casefold, .text("Straße")))
        #expect(try bytes(.casefold, .text("E\u{301}")) == "c3a9")
        #expect(try bytes(.casefold, .text("ΌΣΟΣ")) == bytes(.casefold, .text("όσος")))
        #expect(try text(.casefold, "\0[ZA") == "\0[za")
        #expect(try text(.casefold, "") == "")
    }

    @Test("digits keeps only 0 to 9, and a text without digits has no entry")
    func digits() throws {
        #expect(try text(.digits, "+1 (555) 123-4/") == "15551234")
        #expect(try text(.digits, "0٣４9:") == "09")
        #expect(try text(.digits, "") == nil)
        #expect(try text(.digits, "n/a") == nil)
    }

    @Test("email drops surrounding blanks, and case")
    func email() throws {
        #expect(try text(.email, " \t\r\n\u{B}\u{C}Ann@EXAMPLE.org \n") == "ann@example.org")
        #expect(try text(.email, "a b@c") == "a b@c")
        #expect(try text(.email, "\u{A0}A") == "\u{A0}a")
        #expect(try text(.email, "nobody") == "nobody")
        #expect(try text(.email, "É@É ") == "é@é")
        #expect(try text(.email, "") == nil)
        #expect(try text(.email, " \r\n\t ") == nil)
        // In Swift's characters, a mark after the blank belongs to it; here it does not.
        #expect(try bytes(.email, .text(" \u{301}a")) == "cc8161")
    }

    @Test("a prefix counts the folded text's scalars, and a shorter text has none")
    func prefix() throws {
        #expect(try text(.prefix(3), "DUNE") == "dun")
        #expect(try text(.prefix(4), "DUNE") == "dune")
        #expect(try text(.prefix(5), "DUNE") == nil)
        #expect(try text(.prefix(1), "") == nil)
        #expect(try bytes(.prefix(3), .text("ßE\u{301}x")) == "7373c3a9")
        #expect(try bytes(.prefix(2), .text("Q\u{301}x")) == "71cc81")
        #expect(try bytes(.prefix(1), .text("\u{A7DC}A")) == "ea9f9c")
    }

    @Test("buckets round down, for numbers below zero too")
    func integerBuckets() throws {
        for (number, due) in [
            (0, 0), (9, 0), (10, 1), (-1, -1), (-10, -1), (-11, -2), (.max, Int64.max / 10), (.min, Int64.min / 10 - 1),
        ] as [(Int64, Int64)] {
            #expect(
                try Normaliser.bucket(10).normalised(.integer(number)) == due.bigEndianBytes)
        }
        #expect(try bytes(.bucket(1), .integer(.min)) == "8000000000000000")
    }

    @Test("buckets of reals are computed in double precision, and both zeros share one") func realBuckets() throws {
        for (number, due) in [
            (0, 0), (-0.0, 0), (9.99, 0), (10, 1), (-0.5, -1), (-10, -1), (-10.5, -2),
            (1e300, 1e299),
            (.infinity, .infinity), (-.infinity, -.infinity), (.leastNonzeroMagnitude, 0),
            (-.leastNonzeroMagnitude, 0),
        ] as [(Double, Double)] {
            #expect(
                try Normaliser.bucket(10).normalised(.real(number))
                    == due.bitPattern.bigEndianBytes,
                "\(number)")
        }
    }

    @Test("buckets grow with their numbers: a number between two has a bucket between theirs") func monotone() throws {
        for normaliser in [Normaliser.bucket(3), .bucket(1000)] {
            var last = -Double.infinity
            for step in -2000...2000 {
                let number = Double(step) * 0.7
                let bytes = try #require(try normaliser.normalised(.real(number)))
                let bucket = Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
                #expect(bucket >= last)
                last = bucket
            }
        }
    }
}

extension Normaliser {
    /// The normalised bytes of `value`; nil if it has no entry.
    func normalised(_ value: Value) throws(LockstepError) -> [UInt8]? {
        var bytes: [UInt8] = []
        return try append(value, to: &bytes) ? bytes : nil
    }
}
