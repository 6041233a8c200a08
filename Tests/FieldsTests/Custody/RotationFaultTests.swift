import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A rotation that is killed, or whose system calls fail, at any call that changes files.
@Suite(
    "Interrupted rotations",
    .enabled(if: FaultyWorker.isAble, "not Linux"))
struct RotationFaultTests {
    private static let campaign = Campaign("RotationFaultTests", parts: 6)
    /// Whether there is time for a large database.
    private static let isLarge = Torture.isLong(with: .seconds(100))

    /// A database of 2 MB, or of 40 MB in the long form.
    /// - Parameter isListed: Whether the keyring records the database, whose rotation then gives it a key of its own.
    private static func original(isLarge: Bool = isLarge, isListed: Bool = false) throws -> (
        RotationScratch, [String]
    ) {
        let scratch = try RotationScratch()
        try scratch.fill(rows: isLarge ? 10_000 : 480, size: 3900, logged: isLarge ? 200 : 30)
        if isListed { try scratch.list() }
        return (scratch, try RotationScratch(copying: scratch).content())
    }

    private static func run(
        _ scratch: RotationScratch, _ fault: String, at call: Int, _ action: String = "rotate"
    ) async throws -> FaultyWorker.Outcome {
        let run = try await FaultyWorker.run("rotates", action, in: scratch.folder.path, fault, at: call)
        return run.outcome
    }

    /// The calls of a rotation without a fault.
    private static func calls(
        _ original: RotationScratch
    ) async throws -> (Int, [FaultyWorker.Call]) {
        let copy = try RotationScratch(copying: original)
        let run = try await FaultyWorker.run("rotates", "rotate", in: copy.folder.path)
        #expect(run.outcome == .succeeded)
        return (run.count, run.calls)
    }

    /// Some calls: those between the steps of the rotation, and a given number of those that write page
    /// after page.
    private static func chosen(of calls: (count: Int, steps: [FaultyWorker.Call]), pages: Int) -> [Int] {
        let numbers = Set(calls.steps.map(\.number))
        let step = max(calls.count / pages, 1)
        return numbers.union(stride(from: step, through: calls.count, by: step)).sorted()
    }

    /// At most this many of the steps, from the first on.
    private static func some(of calls: (count: Int, steps: [FaultyWorker.Call]), _ count: Int) -> [Int] {
        let steps = calls.steps.map(\.number)
        return stride(from: 0, to: steps.count, by: (steps.count + count - 1) / count)
            .map { steps[$0] }
    }

    @Test(
        "Each step is on the disk before the next one begins, so that a loss of power has the effect of a kill"
    )
    func order() async throws {
        let (original, _) = try Self.original(isLarge: false)
        let (count, calls) = try await Self.calls(original)
        #expect(count > 500)
        func position(_ action: String, _ name: String, from start: Int = 0) throws -> Int {
            let index = calls[start...].firstIndex {
                $0.action == action && ($0.name == name || (name == "*" && $0.name.hasSuffix(".new")))
            }
            return try #require(index, "\(action) \(name) in \(calls)")
        }
        // The keyring with the pending key ...
        let recorded = try position("create", "*")
        #expect(calls[recorded...].prefix(5).map(\.action) == ["create", "write", "sync", "rename", "sync"])
        // ... the copy ...
        let created = try position("create", "data.db.rotating")
        #expect(created > recorded + 4)
        let exchanged = try position("rename", "data.db.rotating", from: created)
        #expect(
            calls[(exchanged - 3)...(exchanged + 1)].map { "\($0.action) \($0.name)" } == [
                "chmod data.db.rotating", "sync data.db.rotating", "sync .", "rename data.db.rotating", "sync .",
            ])
        // ... and the keyring with the new key in use.
        let promoted = try position("create", "*", from: exchanged)
        #expect(promoted > exchanged + 1)
        // The old file was whole, without a log or a journal, before the copy was begun.
        let last = try #require(calls.lastIndex { $0.name == "data.db" && $0.action == "write" })
        #expect(calls[last...created].contains { $0.action == "sync" && $0.name == "data.db" })
        #expect(calls[last...created].contains { $0.action == "unlink" && $0.name == "data.db-journal" })
    }

    @Test(
        "Killed at any call, exactly one key opens it, with every row, and the next run completes")
    func kill() async throws {
        guard let part = Self.campaign.begin("kill") else { return }
        defer { part.end() }
        let (original, content) = try Self.original()
        let calls = try await Self.calls(original)
        #expect(calls.0 > 500)
        var seen: Set<[KeyState]> = []
        for call in Self.chosen(of: calls, pages: Torture.isLong ? 160 : 8) {
            // In the middle of a write, and for torture before it as well.
            for fault in Torture.isLong && call % 3 == 0 ? ["tear", "kill"] : ["tear"] where part.goesOn() {
                let scratch = try RotationScratch(copying: original)
                #expect(try await Self.run(scratch, fault, at: call) == .killed)
                part.count("kills")
                let context: Comment = "\(fault) at call \(call) of \(calls.0)"
                seen.insert(try scratch.states)
                #expect(try scratch.findFault(content) == nil, context)
                try scratch.expectCompletion(content, context)
            }
        }
        part.count("states", seen.count)
        guard part.isComplete(for: "the states") else { return }
        // Before the key was recorded, while it was pending, and when it had been promoted.
        #expect(seen == [[.active], [.active, .pending], [.retired, .active]])
    }

    @Test("The same holds after a loss of power, when everything that was not synced is lost")
    func power() async throws {
        guard let part = Self.campaign.begin("power") else { return }
        defer { part.end() }
        let (original, content) = try Self.original(isLarge: false, isListed: true)
        let calls = try await Self.calls(original)
        for call in Torture.isLong
            ? Self.chosen(of: calls, pages: 300) : Self.some(of: calls, 10)
        {
            // Everything that was not synced, or a part of it: the parity of the call decides.
            for call in Torture.isLong ? [call, call + 1] : [call] where call <= calls.0 && part.goesOn() {
                let scratch = try RotationScratch(copying: original)
                try scratch.makeLost()
                #expect(try await Self.run(scratch, "lose", at: call) == .killed)
                part.count("losses of power")
                let context: Comment = "power lost at call \(call) of \(calls.0)"
                #expect(try scratch.findFault(content) == nil, context)
                try scratch.expectCompletion(content, context)
                #expect(try scratch.hasOwnKey(), context)
            }
        }
    }

    @Test("A listed database that shares its key gets its own, also killed, and killed again in the run that follows")
    func killTwice() async throws {
        guard let part = Self.campaign.begin("killTwice") else { return }
        defer { part.end() }
        let (original, content) = try Self.original(isLarge: false, isListed: true)
        let calls = try await Self.calls(original)
        for call in Self.some(of: calls, Torture.isLong ? 40 : 4) {
            for again in Self.some(of: calls, Torture.isLong ? 12 : 3) where part.goesOn() {
                let scratch = try RotationScratch(copying: original)
                _ = try await Self.run(scratch, "kill", at: call)
                _ = try await Self.run(scratch, "tear", at: again)
                let context: Comment = "at call \(call), and again at call \(again)"
                #expect(try scratch.findFault(content) == nil, context)
                try scratch.expectCompletion(content, context)
                #expect(try scratch.hasOwnKey(), context)
            }
        }
    }

    @Test(
        "The run that follows a kill right after the exchange syncs it to disk before the keyring changes"
    )
    func finishing() async throws {
        let (original, content) = try Self.original(isLarge: false)
        let calls = try await Self.calls(original).1
        let exchange = try #require(calls.firstIndex { $0.action == "rename" && $0.name == "data.db.rotating" })
        let scratch = try RotationScratch(copying: original)
        #expect(try await Self.run(scratch, "kill", at: calls[exchange + 1].number) == .killed)
        #expect(try scratch.states == [.active, .pending])
        let next = try await FaultyWorker.run("rotates", "rotate", in: scratch.folder.path)
        #expect(next.outcome == .succeeded)
        let synced = try #require(next.calls.firstIndex { $0.action == "sync" && $0.name == "." }, "\(next.calls)")
        let recorded = try #require(next.calls.firstIndex { $0.action == "create" && $0.name.hasSuffix(".new") })
        #expect(synced < recorded, "\(next.calls)")
        #expect(try scratch.states == [.retired, .active])
        #expect(try scratch.findFault(content) == nil)
    }

    @Test(
        "The same holds if a call fails, or if the disk is full from there on",
        arguments: ["once", "staying", "full"])
    func faults(_ fault: String) async throws {
        guard let part = Self.campaign.begin("faults, \(fault)") else { return }
        defer { part.end() }
        let (original, content) = try Self.original(isLarge: false)
        let calls = try await Self.calls(original)
        var failures = 0
        for call in Torture.isLong
            ? Self.chosen(of: calls, pages: 100) : Self.some(of: calls, 8)
        where part.goesOn() {
            let scratch = try RotationScratch(copying: original)
            let outcome = try await Self.run(scratch, fault, at: call)
            let context: Comment = "\(fault) at call \(call) of \(calls.0): \(outcome)"
            if outcome == .failed {
                failures += 1
                // With a disk that works again, what was made so far is removed.
                if fault != "staying" {
                    #expect(try !scratch.names.contains("data.db.rotating"), context)
                }
            }
            #expect(try scratch.findFault(content) == nil, context)
            try scratch.expectCompletion(content, context)
        }
        part.count("failures", failures)
        if part.isComplete(for: "the failures") { #expect(failures > 3) }
    }

    @Test(
        "Negative control: if the key is promoted before the file is replaced, a kill leaves a file that no key opens"
    )
    func wrongOrder() async throws {
        let (original, content) = try Self.original(isLarge: false)
        let calls = try await Self.calls(original)
        var faults: [String] = []
        for call in (calls.0 - 16)...calls.0 {
            let scratch = try RotationScratch(copying: original)
            _ = try await Self.run(scratch, "kill", at: call, "promote-first")
            if let fault = try scratch.findFault(content) { faults.append(fault) }
        }
        #expect(faults.contains { $0.contains("is an old copy") }, "\(faults)")
        // Killed later, it leaves a file that does not know of its keyring's last versions either.
        #expect(faults.contains { $0.contains("the file is older than its keyring") }, "\(faults)")
    }

    @Test(
        "Negative control: on a disk that only claims to have synced, a loss of power is noticed")
    func lyingDisk() async throws {
        let (original, content) = try Self.original(isLarge: false)
        let calls = try await Self.calls(original)
        var faults = 0
        // Odd numbers, at which a part is lost and a part is not.
        for call in stride(from: calls.0 - 1 - calls.0 % 2, to: calls.0 - 12, by: -2) {
            let scratch = try RotationScratch(copying: original)
            try scratch.makeLost()
            _ = try await Self.run(scratch, "lie", at: call)
            do {
                if try scratch.findFault(content) != nil { faults += 1 }
            } catch {
                faults += 1
            }
        }
        #expect(faults > 0)
    }
}
