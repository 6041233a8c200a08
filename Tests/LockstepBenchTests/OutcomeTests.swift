import Testing

@testable import BenchKit
@testable import LockstepBench

@Suite("A peer's answers")
struct OutcomeTests {
    @Test("An outcome is the same after encoding and decoding")
    func roundTrip() throws {
        let outcome = Outcomes.good()
        let line = try JSON.line(outcome)
        #expect(try Outcome.parse(line + "\n", of: "fake") == outcome)
    }

    @Test("Unknown fields are ignored")
    func newerFields() throws {
        let line = try JSON.line(Outcomes.good())
        let newer = "{\"pagesRead\":7," + line.dropFirst()
        #expect(try Outcome.parse(newer, of: "fake") == Outcomes.good())
    }

    @Test(
        "An invalid outcome is refused, with the reason",
        arguments: [
            ("", "0 lines"),
            ("warning: slow\n{}", "2 lines"),
            ("Segmentation fault", "not JSON"),
            ("[]", "wrong type"),
            ("{}", "is missing"),
        ])
    func malformed(_ output: String, _ reason: String) {
        let error = #expect(throws: BenchError.self) {
            try Outcome.parse(output, of: "fake")
        }
        #expect(error?.message.contains("fake did not print") == true)
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
        #expect(error?.hint != nil)
    }

    @Test(
        "One wrong field is enough, and is named",
        arguments: [
            (#""operations":10"#, #""operations":"ten""#, "operations"),
            (#""operations":10"#, #""operations":0"#, "above 0"), (#""peakKiB":2048"#, #""peakKiB":0"#, "above 0"),
            (#""cpuNanoseconds":1000"#, #""cpuNanoseconds":-1"#, "above 0"),
            (#""pageSize":4096"#, #""pageSize":null"#, "settings.pageSize"),
            (#""workload":"insert""#, #""workload":"guess""#, "workload"),
            (#""checksum":""#, #""checksum":"0"#, "16 hexadecimal digits"),
        ])
    func wrongField(_ right: String, _ wrong: String, _ reason: String) throws {
        let line = try JSON.line(Outcomes.good())
        let parts = line.split(separator: right, maxSplits: 1, omittingEmptySubsequences: false)
        try #require(parts.count == 2)
        let error = #expect(throws: BenchError.self) {
            try Outcome.parse(parts.joined(separator: wrong), of: "fake")
        }
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }

    @Test("The same work under the same settings is accepted")
    func accepted() throws {
        let good = Outcomes.good()
        try good.check(against: Outcomes.request(), of: "fake", checksum: good.checksum)
    }

    /// Each changes one thing in a good outcome, and the refusal must name it.
    @Test(
        "Other work, or other settings, are refused",
        arguments: [
            "checksum", "operations", "pageSize", "cacheBytes", "journal", "synchronous",
            "variant", "peer",
        ])
    func refused(_ field: String) {
        let good = Outcomes.good()
        var bad = good
        var reason = "settings"
        switch field {
        case "checksum": (bad.checksum, reason) = ("0000000000000000", "did not read")
        case "operations": (bad.operations, reason) = (9, "did 9 operations instead of 10")
        case "pageSize": bad.settings.pageSize = 1024
        case "cacheBytes": bad.settings.cacheBytes *= 2
        case "journal": bad.settings.journal = "memory"
        case "synchronous": bad.settings.synchronous = "off"
        case "variant": (bad.variant, reason) = ("other", "answered for")
        default: (bad.peer, reason) = ("other", "answered for")
        }
        let error = #expect(throws: BenchError.self) {
            try bad.check(against: Outcomes.request(), of: "fake", checksum: good.checksum)
        }
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
        #expect(error?.message.hasPrefix("fake (plain) in insert") == true)
        #expect(error?.hint != nil)
    }
}
