import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// What the compiler says of a store's calls in top-level code and in asynchronous code.
@Suite(
    "Blocking calls of a store",
    .enabled(if: Compiler.isThere, "needs swiftc and the built modules"))
struct BlockingTests {
    private static let calls = [
        "read { _ in }", "write { _ in }", "withoutTransaction { _ in }", "migrate()",
        "verifyLightly([])", "requireSealed()", "backup(to: \"copy.db\")",
        "close()",
    ]

    /// The program that makes `calls` at the top level.
    private func program(_ calls: [String], _ rest: String = "") -> String {
        (["import Lockstep", "let store = try Store.inMemory()"] + calls + [rest])
            .joined(separator: "\n")
    }

    @Test("In top-level code every awaited call suspends")
    func awaited() async throws {
        let awaited = Self.calls.map { "_ = try await store.\($0)" }
        // A call that blocks has a warning there, which is an error: no async operations in `await`.
        #expect(try await Compiler.errors(program(awaited)) == [])
        let forgotten = try await Compiler.errors(program(["_ = try store.\(Self.calls[0])"]))
        #expect(forgotten.count == 1 && forgotten[0].contains("marked with 'await'"), "\(forgotten)")
    }

    @Test("The run of a job is refused in asynchronous code, and the error names what awaits it")
    func job() async throws {
        let job = "PlaintextExport(to: \"plain.db\").run(on: store)"
        let refused = try await Compiler.errors(program([], "func work() async throws {\n_ = try \(job)\n}"))
        #expect(
            refused.count == 1 && refused[0].contains("blocks the thread: use `try await JobThread.run { … }`"),
            "\(refused)")
        let awaited = "func work() async throws {\n_ = try await JobThread.run { try \(job) }\n}"
        #expect(try await Compiler.errors(program(["_ = try \(job)"], awaited)) == [])
        let onMainActor =
            "@MainActor func work(_ store: Store) async throws {\nlet count = 1\n"
            + "_ = try await JobThread.run { _ = count; return try \(job) }\n}"
        #expect(try await Compiler.errors(program([], onMainActor)) == [])
    }

    @Test("In top-level code without `await` the blocking calls run")
    func blocking() async throws {
        let blocking = Self.calls.map { "_ = try store.blocking.\($0)" }
        #expect(try await Compiler.errors(program(blocking)) == [])
    }

    @Test("In asynchronous code every blocking call is refused, and the error names the other one")
    func refused() async throws {
        let blocking = Self.calls.map { "_ = try store.blocking.\($0)" }
        let work = "func work() async throws {\n\(blocking.joined(separator: "\n"))\n}"
        let errors = try await Compiler.errors(program([], work))
        #expect(errors.count == Self.calls.count, "\(errors)")
        for call in Self.calls {
            let name = call.prefix { $0.isLetter }
            #expect(errors.contains { $0.contains("blocks the thread: use `try await store.\(name)`") }, "\(name)")
        }
    }
}
