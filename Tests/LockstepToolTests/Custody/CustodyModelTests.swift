import TestSupport
import Testing

@testable import Lockstep

/// No sequence of what users do with databases, copies, keyrings and keys makes a row or a cell unreadable, or leaves a
/// database that no command reads: see ``CustodyOracle``.
///
/// The long form runs every sequence up to a depth, except that of two that lead to the same state only one is
/// continued (``StateDescription``); then it goes on at random.
@Suite("No sequence of commands makes a row unreadable", .serialized)
struct CustodyModelTests {
    private static let campaign = Campaign("CustodyModelTests", parts: 6)
    /// The depth of the long form.
    private static let depth = 4
    /// Sequences at random in a plain test run, and their length.
    private static let walks = (count: 1, length: 5)

    @Test("Every sequence up to a depth", arguments: CustodyBench.Beginning.allCases)
    func exhaustive(_ beginning: CustodyBench.Beginning) throws {
        guard let part = Self.campaign.begin("every, \(beginning)") else { return }
        defer { part.end() }
        let search = try CustodySearch(beginning)
        try search.explore(to: Torture.isLong ? Self.depth : 1, oneOf: Torture.isLong ? 1 : 4, part)
        for finding in search.findings { Issue.record("\(finding)") }
    }

    @Test("Sequences at random", arguments: CustodyBench.Beginning.allCases)
    func random(_ beginning: CustodyBench.Beginning) throws {
        guard let part = Self.campaign.begin("random, \(beginning)") else { return }
        defer { part.end() }
        let search = try CustodySearch(beginning)
        var generator = SplitMix64(state: Torture.campaignSeed)
        var count = 0
        while part.goesOn(after: count, of: Self.walks.count), search.findings.count < 20 {
            count += 1
            let length = Torture.isLong ? 12 : Self.walks.length
            try search.walk(length, &generator, part)
        }
        for finding in search.findings { Issue.record("\(finding)") }
    }

    @Test("A command at the first step of another", arguments: CustodyBench.Beginning.allCases)
    func pairs(_ beginning: CustodyBench.Beginning) throws {
        guard let part = Self.campaign.begin("pairs, \(beginning)") else { return }
        defer { part.end() }
        let search = try CustodySearch(beginning)
        try search.pair(oneOf: Torture.isLong ? 1 : 32, part)
        for finding in search.findings { Issue.record("\(finding)") }
    }

    @Test("No field key is destroyed while a backup with its cells is restored")
    func restored() throws {
        let besides = try #require(CustodyVerb.besides.first { $0.description.contains("field 1") })
        let restore = try #require(CustodyVerb.named("restore c a fields"))
        let search = try CustodySearch(.rotated)
        #expect(try search.run([.beside(restore, besides)]) == [])
    }

    @Test(
        "No key is destroyed with which a fork, of which the fields keyring knows nothing, is sealed"
    )
    func fork() throws {
        let names = ["fork c", "reseal a", "reseal b", "destroy field 1, a b"]
        let search = try CustodySearch(.rotated)
        #expect(try search.run(names.compactMap(CustodyVerb.named)) == [])
    }

    /// What people do around a database: refresh a copy every night, try a restore, use a path again.
    static let drills = [
        ["restore c d", "restore c d", "rotate d", "destroy database 1, a b d"],
        ["restore c d", "rm d", "restore c d", "rotate d", "rotate a", "destroy database 1"],
        ["cp a d", "fork d", "cp a d", "fork d", "rotate d", "rotate a", "destroy database 1, a b d"],
        ["cp a d", "accept new d", "accept c", "rotate d", "destroy database 1, a b d"],
        ["restore c b", "restore c b", "rotate b", "destroy database 1, a b d"],
        ["restore c d", "rm d", "salvage a d", "rotate a", "destroy database 1, a b d"],
        ["cp a b", "fork d", "rotate a", "destroy database 1"],
        ["log aside a", "rotate a", "rotate b", "destroy database 1, a b d", "migrate a"],
        ["kill unseal a", "restore c d", "rotate a", "migrate a", "seal a"],
        ["create field", "activate field", "kill reseal a", "reseal a", "destroy field 1, a b d"],
        ["rm a", "init d", "rm d", "restore c d", "mv d a"],
    ]

    /// In a plain run each from one beginning, by turns.
    private static let begun = drills.enumerated().flatMap { number, names in
        let all = CustodyBench.Beginning.allCases
        return (Torture.isLong ? all : [all[number % all.count]]).map { (names, $0) }
    }

    @Test("No drill loses a row", arguments: begun)
    func drill(_ names: [String], _ beginning: CustodyBench.Beginning) throws {
        let verbs = names.compactMap(CustodyVerb.named)
        #expect(verbs.count == names.count)
        let search = try CustodySearch(beginning)
        #expect(try search.run(verbs) == [])
    }

    @Test("A kill leaves a column between two states, and a log that is set aside lies there")
    func kills() throws {
        for (names, state) in [
            (["kill unseal a"], "unsealing"), (["unseal a", "kill seal a"], "migrating"),
        ] {
            let search = try CustodySearch(.together)
            #expect(try search.run(names.compactMap(CustodyVerb.named)) == [])
            let columns = try FileSummary.read("a.db", search.bench)?.columns ?? []
            #expect(columns.contains { $0.contains(" \(state)|") }, "\(names): \(columns)")
        }
        let search = try CustodySearch(.together)
        #expect(try search.run([CustodyVerb.logAside]) == [])
        #expect(search.bench.exists("a.db.damaged-1"))
    }

    @Test("Negative control: without the proof that nothing needs a key, rows are lost") func credulous() throws {
        let search = try CustodySearch(.rotated)
        search.bench.isCredulous = true
        let found = try ["destroy database 1", "destroy field 1, a"].map {
            try search.run([#require(CustodyVerb.named($0))])
        }
        #expect(found.allSatisfy { $0.contains { $0.contains("lost") } }, "\(found)")
    }

    @Test("Negative control: with a restore that has no locks, the restored rows are lost") func unlocked() throws {
        let besides = try #require(CustodyVerb.besides.first { $0.description.contains("database 1") })
        let search = try CustodySearch(.together)
        let found = try search.run([.beside(.unlockedRestore, besides)])
        #expect(found.contains { $0.contains("d.db, lost") }, "\(found)")
        let restore = try #require(CustodyVerb.named("restore c d"))
        #expect(try search.run([.beside(restore, besides)]) == [])
    }
}
