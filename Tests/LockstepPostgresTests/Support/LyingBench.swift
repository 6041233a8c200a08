import Lockstep
import TestServers
import TestSupport
import Testing

@testable import LockstepPostgres

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
