import Dispatch
import Foundation
import Lockstep
import SystemPackage

/// `ends-threads waited|ignored`: uses a temporary store from several tasks, releases it, and ends with 7 while the
/// store's threads are still ending. The last exit handler prints how many threads are.
enum EndedThreads {
    static func run(_ arguments: [String]) {
        // Registered before libcrypto's own handler, so that it runs after it.
        atexit {
            let line = "\(endingThreads()) threads are ending\n"
            _ = try? FileDescriptor.standardOutput.writeAll(line.utf8)
        }
        slowThreadEnds(microseconds: 50_000, isWaitedFor: arguments.first == "waited")
        do {
            let store = try Store.temporary(options: StoreOptions())
            try store.write { try $0.execute("CREATE TABLE t (a)") }
            let done = DispatchSemaphore(value: 0)
            for number in 0..<8 {
                Task {
                    // This always runs on the writer's thread.
                    try await store.withoutTransaction { connection in
                        try connection.execute("INSERT INTO t VALUES (?)", number)
                    }
                    done.signal()
                }
            }
            for _ in 0..<8 { done.wait() }
            try store.close()
        } catch {
            print("\(error)")
            exit(70)
        }
        exit(7)
    }
}
