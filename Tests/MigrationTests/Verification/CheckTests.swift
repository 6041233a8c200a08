import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Checks")
struct CheckTests {
    @Test("Every check is found by its name, and freshness by the name that it once had") func names() {
        for check in VerificationReport.Check.allCases {
            #expect(VerificationReport.Check(named: check.rawValue) == check)
        }
        #expect(VerificationReport.Check(named: "age") == .freshness)
        #expect(VerificationReport.Check(named: "Age") == nil)
        #expect(VerificationReport.Check(rawValue: "age") == nil)
    }

    @Test("The article lists every check, in the order of reports")
    func article() throws {
        let path = "Sources/Lockstep/Lockstep.docc/ProvingADatabase.md"
        let text = String(
            decoding: try Bytes.read(Programs.package.appending(path)), as: UTF8.self)
        let table = text.split(separator: "| check | holds if |\n|---|---|\n")
        try #require(table.count == 2)
        let names = table[1].split(separator: "\n", omittingEmptySubsequences: false).prefix {
            $0.hasPrefix("|")
        }.map { $0.split(separator: "`")[1] }
        #expect(names.map(String.init) == VerificationReport.Check.allCases.map(\.rawValue))
    }

    @Test("A light verification compares the schema only if all of the database's sets are given") func light() throws {
        let database = try VerifiedDatabase(rows: 1)
        let store = try Store.open(database.scratch.path, rawKey: database.scratch.key())
        let whole = try store.blocking.verifyLightly(database.sets)
        #expect(whole.isClean, "\(whole.messages)")
        #expect(whole.outcomes.map(\.check) == [.profile, .ledger, .drift])
        let part = try store.blocking.verifyLightly([])
        #expect(part.isClean, "\(part.messages)")
        #expect(part.outcomes.map(\.check) == [.profile, .ledger])
        let memory = try Store.inMemory()
        #expect(try memory.blocking.verifyLightly([]).outcomes.map(\.check) == [.ledger, .drift])
    }

    @Test("Without migrations the ledger's rows are checked, and nothing is compared with files")
    func withoutMigrations() throws {
        let database = try VerifiedDatabase(rows: 1)
        let verification = Verification(database.scratch.path)
        let report = try verification.run(key: database.scratch.key())
        #expect(report.isClean, "\(report.messages)")
        #expect(report.outcomes.filter { !$0.isCarriedOut }.map(\.check) == [.drift])
        #expect(report.outcomes.first { $0.check == .ledger }?.findings.count == 1)
        let full = try Verification(database.scratch.path, sets: database.sets)
            .run(key: database.scratch.key())
        #expect(full.outcomes.map(\.check) == report.outcomes.map(\.check))
        do {
            let connection = try database.scratch.open()
            try connection.with(rights: .engine) {
                try connection.execute("PRAGMA user_version = 77")
            }
        }
        let broken = try verification.run(key: database.scratch.key())
        #expect(broken.outcomes.filter(\.hasFailed).map(\.check) == [.ledger])
    }

    @Test(
        "An error fails a check, and is a notice of one that cannot fail", arguments: [true, false])
    func mayFail(_ mayFail: Bool) throws {
        let check = VerificationReport.Check("planted", mayFail: mayFail) { _ in nil }
        let outcome = try VerificationReport.Outcome.of(check) {
            throw LockstepError(.inputOutput, "the planted error")
        }
        #expect(outcome.hasFailed == mayFail)
        #expect(outcome.findings.map(\.message) == ["the planted error"])
        #expect(outcome.obstacle?.code == .inputOutput)
        let found = try VerificationReport.Outcome.of(check) { ("summary", [.failure("found")]) }
        #expect(found.hasFailed == mayFail && found.obstacle == nil)
        #expect(!VerificationReport.Check.library.mayFail)
    }

    @Test(
        "A failure's kind, which decides the exit code",
        arguments: [
            (
                LockstepError.Code.verificationFailed,
                [
                    VerificationReport.Check.library, .permissions, .foreignKeys, .references,
                    .objects, .keyring, .roundTrip,
                ]
            ),
            (.migrationChanged, [.ledger, .drift]),
            (.damaged, [.pages, .integrity]),
            (.tampered, [.encryption, .profile, .sideFiles, .registry, .cells, .manifest, .freshness]),
        ])
    func failureCode(code: LockstepError.Code, checks: [VerificationReport.Check]) {
        for check in checks { #expect(check.failureCode == code, "\(check)") }
    }
}
