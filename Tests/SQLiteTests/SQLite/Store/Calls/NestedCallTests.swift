import Subprocess
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Calls of a store from inside its own calls, each in a process of its own, since one that is not refused can hang.
@Suite("Nested calls of a store", .timeLimit(.minutes(Torture.minutes(40))))
struct NestedCallTests {
    private static let closures = [
        "read", "write", "withoutTransaction", "awaited-read", "awaited-write",
        "awaited-withoutTransaction", "observe", "insertBlob",
    ]
    private static let others = ["backup", "migrate", "close"]
    private static let stores = ["file", "memory"]

    private func outcome(_ subject: String, _ arguments: String...) async throws -> String {
        let result = try await run(
            .path("/usr/bin/env"),
            arguments: .init(["timeout", "30", Programs.path("Worker").string, subject] + arguments),
            output: .string(limit: 10_000), error: .discarded)
        return result.standardOutput
    }

    private func nested(_ outer: String, _ inner: String, _ store: String) async throws -> String {
        try await outcome("nested-calls", outer, inner, store)
    }

    @Test(
        "Every call inside of every closure is refused by an error that names the outer call",
        arguments: closures + ["migrate", "deinit"])
    func refused(outer: String) async throws {
        for inner in Self.closures + Self.others + ["chunks"] where inner != "chunks" || outer != "insertBlob" {
            let outcome = try await nested(outer, inner, "file")
            let names = ["observe": "read", "deinit": "read", "migrate": "withoutTransaction"]
            let name = names[outer] ?? outer.replacing("awaited-", with: "")
            #expect(outcome.hasPrefix("refused: "), "\(inner) in \(outer): \(outcome)")
            #expect(outcome.contains("`\(name)`"), "\(inner) in \(outer): \(outcome)")
        }
    }

    @Test(
        "In a store in memory the same is refused",
        arguments: ["read", "awaited-write", "insertBlob"])
    func refusedInMemory(outer: String) async throws {
        for inner in ["read", "awaited-write", "close", "chunks"] where inner != "chunks" || outer != "insertBlob" {
            let outcome = try await nested(outer, inner, "memory")
            #expect(outcome.hasPrefix("refused: "), "\(inner) in \(outer): \(outcome)")
        }
    }

    @Test("Between the chunks of a value nothing is refused", arguments: stores)
    func chunks(store: String) async throws {
        for inner in [
            "awaited-read", "awaited-write", "awaited-withoutTransaction", "observe", "insertBlob",
            "chunks", "migrate", "close",
        ] {
            #expect(try await nested("chunks", inner, store) == "went on\n", "\(inner)")
        }
        #expect(try await nested("insertBlob", "chunks", store) == "went on\n")
    }

    @Test("In a backup's progress closure nothing is refused but to close the store")
    func job() async throws {
        for inner in ["read", "awaited-read", "write", "insertBlob", "chunks", "backup"] {
            #expect(try await nested("backup", inner, "file") == "went on\n", "\(inner)")
        }
        let refused = try await nested("backup", "close", "file")
        #expect(refused.contains("`backup`"), "\(refused)")
    }

    // MARK: Loops

    @Test(
        "More loops over chunks than readers, with reads inside, all end",
        arguments: ["reads", "child-tasks"])
    func loops(program: String) async throws {
        let sent = "[" + [String](repeating: "1000000", count: 8).joined(separator: ", ") + "]\n"
        #expect(try await outcome("nested-loops", program) == sent)
    }

    @Test("A loop over chunks can close the store, which ends it with an error")
    func closing() async throws {
        let outcome = try await outcome("nested-loops", "close")
        #expect(outcome == "chunks: 1, then closed\nread: closed\n")
    }

    @Test(
        "Any number of tasks can close the store while a value streams in, and it streams to its end"
    )
    func closers() async throws {
        #expect(try await outcome("nested-loops", "closers") == "closed; row 2\n")
    }

    @Test("A store copies a value into itself", arguments: ["memory-copy", "file-copy"])
    func copy(program: String) async throws {
        #expect(try await outcome("nested-loops", program) == "copied to row 2\n")
    }

    @Test(
        "A task that a closure has started can call the store after the call has ended; other stores always"
    )
    func afterwards() async throws {
        let store = try Store.temporary()
        let other = try Store.temporary()
        try await store.write { connection in
            try connection.execute("CREATE TABLE t (a)")
            try other.blocking.write { try $0.execute("CREATE TABLE t (a)") }
        }
        let gate = AsyncStream<Void>.makeStream()
        let later = try await store.write { _ in
            Task {
                for await _ in gate.stream { break }
                try await store.write { try $0.execute("INSERT INTO t VALUES (1)") }
            }
        }
        gate.continuation.yield()
        try await later.value
        #expect(try await store.read { try $0.value("SELECT count(*) FROM t", as: Int.self) } == 1)
    }
}
