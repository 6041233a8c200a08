import Foundation
import SystemPackage
import Lockstep
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
        refused(.serverUnreachable) { _ = try ServerConnection(address, .none, options) }
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

/// Films with sealed titles, reached through a proxy that lies.
final class LyingBench {
    enum Work: CaseIterable { case read, find, insert, verify, migrate }

    private let scratch: SealedScratch
    private let proxy: LyingProxy
    private let lying: ServerAddress
    /// How many messages each work takes from the honest server.
    private var lengths: [Work: Int] = [:]
    private var runs = 0
    private(set) var changed = 0
    private(set) var errors = 0
    private(set) var findings: [String] = []

    private static let titles = ["Alien", "Brazil", "Chinatown", "Dune", "Élite"]

    init() throws {
        let server = try TestServer.shared.get()
        scratch = try SealedScratch()
        proxy = try LyingProxy(to: server.folder)
        lying = try ServerAddress("postgres://postgres@/\(scratch.address.database)?host=\(proxy.folder.path)")
        let rows: [[Value]] = Self.titles.enumerated().map { [.text($1), .text($1), .integer(Int64(1900 + $0))] }
        _ = try scratch.connection().insert("films", ["title", "label", "year"], rows)
        let named = "-- lockstep: plaintext films.id\n-- lockstep: plaintext films.year"
        _ = try ServerMigrator(set("films", ServerScratch.up(named))).run(on: scratch.connection())
    }

    private func set(_ name: String, _ version: String) throws -> MigrationSet {
        try MigrationSet(name: name, files: [(name: "0001_a.sql", content: version)], engine: .postgres)
    }

    private func connection() throws -> ServerConnection {
        var options = ServerOptions()
        options.fieldKeys = [scratch.keys]
        options.sealed = ["films.title", "films.cover", "films.label"]
        options.limits.silence = .milliseconds(300)
        options.limits.cancellation = .milliseconds(300)
        options.limits.notices = 1000
        return try ServerConnection(lying, .none, options)
    }

    // MARK: One run

    /// - Parameter last: How many of the last answers can be changed; nil for all.
    func run(
        _ work: Work, _ random: inout SplitMix64, kinds: [Lie.Kind] = Lie.Kind.allCases, last: Int? = nil,
        alsoPlain: Bool = false
    ) throws {
        runs += 1
        if lengths[work] == nil {
            proxy.begin(nil)
            try perform(work, alsoPlain)
            lengths[work] = proxy.outcome.passed
            #expect(findings.isEmpty)
        }
        guard let kind = kinds.randomElement(using: &random), let count = lengths[work] else { return }
        let places = max(count - (last ?? count), 0)..<count
        let lie = Lie(place: Int.random(in: places, using: &random), kind: kind, seed: random.next())
        proxy.begin(lie)
        let before = findings.count
        do {
            try perform(work, alsoPlain)
        } catch is LockstepError {
            errors += 1
        }
        let outcome = proxy.outcome
        proxy.begin(nil)
        if outcome.changed != nil { changed += 1 }
        try requireSeals()
        for index in before..<findings.count {
            findings[index] += " (\(work), answer \(lie.place), \(outcome.changed ?? "not changed"))"
        }
    }

    private func perform(_ work: Work, _ alsoPlain: Bool) throws {
        switch work {
        case .read: try read(alsoPlain)
        case .find: try find()
        case .insert: try insert()
        case .verify: _ = try ServerVerification(sets: []).run(on: connection())
        case .migrate: try migrate()
        }
    }

    /// What the honest server says of a film.
    private func truth() throws -> [Int: (title: String?, label: String?, year: Int?)] {
        let films = try scratch.connection().query("SELECT id, title, label, year FROM films") {
            (try $0[0] as Int, (title: try $0[1] as String?, label: try $0[2] as String?, year: try $0[3] as Int?))
        }
        return Dictionary(films) { one, _ in one }
    }

    private func read(_ alsoPlain: Bool) throws {
        let films = try connection().query("SELECT id, title, label, year FROM films WHERE id <= 5 ORDER BY id") {
            (try $0[0] as Int, try $0[1] as String?, try $0[2] as String?, try $0[3] as Int?)
        }
        let truth = try truth()
        for (id, title, label, year) in films {
            // A cell that is taken away is NULL: SECURITY.md.
            let titles = [truth[id]?.title, nil]
            if !titles.contains(title) { findings.append("film \(id) has the title \(title ?? "NULL")") }
            if label != nil, !truth.values.contains(where: { $0.label == label }) {
                findings.append("film \(id) has the label \(label ?? "NULL")")
            }
            if alsoPlain, year != truth[id]?.year { findings.append("film \(id) has the year \(year ?? -1)") }
        }
    }

    private func find() throws {
        let title = Value.text("Chinatown")
        let found = try connection().query(
            "SELECT id, title FROM films WHERE \(sealed: "films.title", equals: title)"
        ) { (try $0[0] as Int, try $0[1] as String?) }
        let truth = try truth()
        for (id, title) in found where title != nil && truth[id]?.title != title {
            findings.append("film \(id) is found with the title \(title ?? "NULL")")
        }
    }

    private func insert() throws {
        let server = try connection()
        let titles = (0..<3).map { "t\(runs)-\($0)" }
        let keys = try server.insert("films", ["title", "year"], titles.map { [.text($0), .integer(1)] })
        let stored = try truth().values.compactMap(\.title)
        let missing = titles.filter { !stored.contains($0) }
        if keys.count != titles.count || !missing.isEmpty {
            findings.append("\(missing) were inserted and are not there")
        }
    }

    private func migrate() throws {
        let table = "t\(runs)"
        let up = """
            CREATE TABLE \(table) (id bigint PRIMARY KEY, a text);
            -- lockstep: protect \(table).a dataset=films
            -- lockstep: plaintext \(table).id
            """
        _ = try ServerMigrator(set("s\(runs)", ServerScratch.up(up)), timeout: .zero).run(on: connection())
        try requireSeals(["\(table).a"])
    }

    /// The honest server proves that these columns are sealed, and those of the beginning.
    private func requireSeals(_ columns: [String] = []) throws {
        var options = ServerOptions()
        options.fieldKeys = [scratch.keys]
        options.sealed = ["films.title", "films.cover", "films.label"] + columns
        do {
            _ = try ServerConnection(scratch.address, .none, options)
        } catch {
            findings.append("the columns have lost their seal: \(error)")
        }
    }
}
