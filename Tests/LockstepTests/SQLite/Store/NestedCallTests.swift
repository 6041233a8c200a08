import Subprocess
import SystemPackage
import TestSupport
import Testing

@testable import Lockstep

/// Calls of a store from inside its own calls, each in a process of its own, since one that is not refused can hang.
@Suite("Nested calls of a store", .timeLimit(.minutes(Torture.minutes(10))))
struct NestedCallTests {
    private static let closures = [
        "read", "write", "withoutTransaction", "awaited-read", "awaited-write",
        "awaited-withoutTransaction", "observe", "insertBlob",
    ]

    private func outcome(_ outer: String, _ inner: String) async throws -> String {
        let result = try await run(
            .path("/usr/bin/env"),
            arguments: [
                "timeout", "30", Programs.path("Worker").string, "nested-calls", outer, inner,
            ],
            output: .string(limit: 10_000), error: .discarded)
        return result.standardOutput
    }

    @Test(
        "Every call inside of every closure is refused by an error that names the outer call",
        arguments: closures)
    func refused(outer: String) async throws {
        for inner in Self.closures + ["close"] {
            // Closing waits for nothing that blocks this thread; it is in the list of the calls that run closures.
            let outcome = try await outcome(outer, inner)
            let name = outer.replacing("awaited-", with: "").replacing("observe", with: "read")
            #expect(outcome.hasPrefix("refused: "), "\(inner) in \(outer): \(outcome)")
            #expect(outcome.contains("`\(name)`"), "\(inner) in \(outer): \(outcome)")
        }
    }

    @Test(
        "Between the chunks of a value, what needs the reader that they keep is refused, and nothing else"
    )
    func chunks() async throws {
        for inner in ["awaited-read", "observe"] {
            let outcome = try await outcome("chunks", inner)
            #expect(outcome.contains("sequences of `chunks`"), "\(inner): \(outcome)")
        }
        for inner in ["awaited-write", "insertBlob"] {
            #expect(try await outcome("chunks", inner) == "went on\n")
        }
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
