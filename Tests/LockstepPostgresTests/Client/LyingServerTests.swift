import Foundation
import Lockstep
import SystemPackage
import TestServers
import TestSupport
import Testing

@testable import LockstepPostgres

/// One answer of the server is changed in each run: what a program then gets is an error, or what the honest server would have
/// said of sealed columns. What is not sealed a server can say as it likes.
@Suite("A server of which one answer is a lie", .withServer, .serialized)
struct LyingServerTests {
    private static let campaign = Campaign("LyingServerTests")

    @Test("No crash, no silence without end, no wrong value of a sealed column, no column that loses its seal")
    func lies() throws {
        guard let part = Self.campaign.begin() else { return }
        defer { part.end() }
        var bench = try LyingBench()
        var random = SplitMix64(state: Torture.campaignSeed)
        var (run, changed, errors) = (0, 0, 0)
        var findings: [String] = []
        while part.goesOn(after: run, of: 40), findings.count < 5 {
            // Each migration seals one more column, whose keys stay in secure memory.
            if run % 200 == 199 { bench = try LyingBench() }
            let before = (bench.changed, bench.errors, bench.findings.count)
            try bench.run(LyingBench.Work.allCases[run % LyingBench.Work.allCases.count], &random)
            changed += bench.changed - before.0
            errors += bench.errors - before.1
            findings += bench.findings[before.2...]
            run += 1
        }
        part.count("changed", changed)
        part.count("errors", errors)
        for finding in findings { Issue.record("\(finding)") }
        // Some lies change nothing that anybody reads.
        if run >= 40 { #expect(changed > run * 3 / 4 && errors > run / 3) }
    }

    @Test("A server that never stops talking before it lets a program in is left after the time for a host")
    func talking() throws {
        let folder = try TemporaryFolder()
        let listener = try UnixSocket.open(at: "\(folder.path)/\(UnixSocket.name)", bind)
        guard listen(listener, 4) == 0 else { throw Errno(rawValue: errno) }
        defer {
            shutdown(listener, Int32(SHUT_RDWR))
            close(listener)
        }
        Thread.detachNewThread {
            while case let client = accept(listener, nil, nil), client >= 0 {
                var talk = Lie.message("R", Lie.bytes(0))
                while UnixSocket.send(talk[...], to: client) { talk = (0..<500).flatMap { _ in Lie.notice } }
                close(client)
            }
        }
        var options = ServerOptions()
        options.connectTimeout = .seconds(2)
        let address = try ServerAddress("postgres://postgres@/one?host=\(folder.path)")
        let error = refused(.serverUnreachable) { _ = try ServerConnection(address, .none, options) }
        #expect(error?.message.contains("no connection within 2") == true, "\(error?.message ?? "")")
        options.shouldContinue = { false }
        refused(.interrupted) { _ = try ServerConnection(address, .none, options) }
    }

    @Test("Control: in a column that is not sealed, lies are found") func control() throws {
        let bench = try LyingBench()
        var random = SplitMix64(state: 5)
        for _ in 0..<200 where bench.findings.isEmpty {
            try bench.run(.read, &random, kinds: [.value], last: 12, alsoPlain: true)
        }
        #expect(bench.findings.contains { $0.contains("year") })
    }
}
