import ArgumentParser
import SystemPackage
import TestSupport
import Testing

@testable import Lockstep
@testable import LockstepTool

/// Every pair of commands on one database and its keyrings, as two processes.
///
/// The long form runs each of them fifty times, a plain run some of them once.
@Suite("Pairs of commands", .serialized, .timeLimit(.minutes(Torture.minutes(240)))) struct CommandPairTests {
    private static let lanes = 2

    /// Each pair of these commands, also of one with itself.
    private static func pairs(_ commands: [PairCommand]) -> [(PairCommand, PairCommand)] {
        commands.indices.flatMap { one in commands[one...].map { (commands[one], $0) } }
    }

    /// In a plain run every two commands that take different locks or steps, and each of the others with one of them.
    private static let some: [(PairCommand, PairCommand)] = {
        let main = PairCommand.all.filter { representatives.contains($0.name) }
        let others = PairCommand.all.filter { !representatives.contains($0.name) }
        return pairs(main)
            + others.enumerated().map { ($1, main[$0 % main.count]) }
    }()
    private static let representatives: Set<String> = [
        "verify", "backup", "adopt", "keys fork", "migrate", "migrate safe", "seal", "reseal", "keys add-slot",
        "keys rotate-ring", "keys create-key", "restore", "keys rotate-database", "keys destroy-key",
    ]

    @Test("The table has every command of the tool, and the test runs each")
    func complete() {
        let table = Set(CommandPairs.commands.map(\.name))
        #expect(table.count == CommandPairs.commands.count)
        let typed = Set(table.map { $0.hasPrefix("migrate ") ? "migrate" : $0 })
        let known = Set(Self.typed(LockstepCommand.configuration.subcommands, after: ""))
        #expect(typed == known)
        #expect(Set(PairCommand.all.map(\.name)) == table.subtracting(Self.notRun))
    }

    /// Stretching a passphrase takes a second, and a copy needs a server.
    private static let notRun: Set<String> = ["keys change-passphrase", "copy"]
    /// Groups whose commands differ only in the model store.
    private static let models: Set<String> = ["import", "list", "show", "export", "insert", "update", "delete"]

    private static func typed(
        _ types: [any ParsableCommand.Type], after words: String
    ) -> [String] {
        types.flatMap { type in
            let name = words + type._commandName
            let inner = type.configuration.subcommands
            return inner.isEmpty || models.contains(name) ? [name] : typed(inner, after: name + " ")
        }
    }

    @Test("The page of commands at once has the table")
    func page() throws {
        let path = Programs.package.appending(
            "Sources/Lockstep/Lockstep.docc/CommandsAtOnce.md")
        let page = String(decoding: try Bytes.read(path), as: UTF8.self).split(separator: "\n")
        let kinds = CommandPairs.Kind.allCases
        func cells(_ texts: [String]) -> Substring { "| \(texts.joined(separator: " | ")) |" }
        #expect(page.contains(cells([""] + kinds.map(\.rawValue)).replacing("|  |", with: "| |")))
        for kind in kinds {
            let outcomes = kinds.map { CommandPairs.outcome(kind, $0).title }
            #expect(page.contains(cells(["**\(kind.rawValue)**"] + outcomes)))
            let commands = CommandPairs.commands.filter { $0.kind == kind }.map {
                "`\($0.name.replacing("migrate ", with: "migrate --"))`"
            }
            let head = "| \(kind.rawValue) | \(commands.joined(separator: ", ")) |"
            #expect(page.contains { $0.hasPrefix(head) }, "\(head)")
        }
    }

    @Test("Each pair ends as the table says, and leaves everything whole")
    func pairs() async throws {
        guard let part = Campaign("CommandPairTests").begin() else { return }
        defer { part.end() }
        let runner = try await CommandPairRunner()
        var random = SplitMix64(state: Torture.campaignSeed)
        var work: [(PairCommand, PairCommand)] = []
        if Torture.isLong {
            for _ in 0..<50 { work += Self.pairs(PairCommand.all).shuffled(using: &random) }
        } else {
            work = Self.some
        }
        let queue = work
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<Self.lanes {
                group.addTask {
                    for number in stride(from: lane, to: queue.count, by: Self.lanes) where part.goesOn() {
                        let (one, other) = queue[number]
                        for finding in try await runner.run(one, other, lane: lane) {
                            Issue.record("\(finding)")
                        }
                        part.count("pairs")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("A refusal is right where the table has it, and any end that one of the orders has") func oracle() {
        let orders: [[Int32]] = [[0, 66], [0, 0]]
        #expect(CommandPairRunner.isRight([0, 66], orders, false))
        #expect(!CommandPairRunner.isRight([66, 0], orders, true))
        for codes: [Int32] in [[5, 0], [0, 5]] {
            #expect(CommandPairRunner.isRight(codes, orders, true))
            #expect(!CommandPairRunner.isRight(codes, orders, false))
        }
        #expect(!CommandPairRunner.isRight([5, 5], orders, true))
        #expect(!CommandPairRunner.isRight([-6, 0], orders, true))
    }

    @Test("The control is found: a file that replaces the database")
    func careless() async throws {
        let runner = try await CommandPairRunner()
        let copy = PairCommand(name: "cp", line: "rm data.db*; cp other.db data.db")
        let reader = try #require(PairCommand.all.first { $0.name == "status" })
        #expect(try await !runner.run(reader, copy, lane: 0).isEmpty)
    }
}

extension CommandPairs.Outcome {
    /// As the page says it.
    fileprivate var title: String {
        switch self {
        case .together: "together"
        case .waits: "waits"
        case .refuses: "5"
        }
    }
}
