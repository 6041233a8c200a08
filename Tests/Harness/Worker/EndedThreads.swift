import CCrypto
import Dispatch
import Foundation
import Lockstep
import SystemPackage

/// `ends-threads plain|waited|ignored`: uses a temporary store from several tasks, releases it, and ends with 7 while
/// the store's threads are still ending. When libcrypto begins to free everything, it prints how many threads are. All but
/// `plain` make each end slow.
enum EndedThreads {
    static func run(_ arguments: [String]) {
        if arguments.first != "plain" {
            slowThreadEnds(microseconds: 50_000, isWaitedFor: arguments.first == "waited")
        }
        do {
            let store = try Store.temporary(options: StoreOptions())
            try store.blocking.write { try $0.execute("CREATE TABLE t (a)") }
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
            try store.blocking.close()
            // Before Lockstep has used libcrypto, this would register libcrypto's exit handler.
            guard
                OPENSSL_atexit({
                    let line = "\(endingThreads()) threads are ending\n"
                    _ = try? FileDescriptor.standardOutput.writeAll(line.utf8)
                }) == 1
            else { exit(70) }
        } catch {
            print("\(error)")
            exit(70)
        }
        exit(7)
    }
}

/// `without-threads`: awaits a call of a store when the process cannot create another thread, and prints its error.
enum WithoutThreads {
    static func run() async {
        do {
            let store = try Store.temporary()
            try store.blockingWrite { try $0.execute("CREATE TABLE t (a)") }
            // The first awaited calls get Swift's own threads.
            _ = try await store.read { try $0.value("SELECT count(*) FROM t", as: Int.self) }
            // The memory that the process has, and less than the stack of a thread.
            let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
                .split(separator: " ").first.flatMap { UInt64($0) }
            let bytes = (pages ?? 0) * 4096 + 6 << 20
            var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t(bytes))
            guard setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { exit(70) }
            // This always runs on the writer's thread.
            try await store.withoutTransaction { try $0.execute("INSERT INTO t VALUES (1)") }
            print("went on")
        } catch let error as LockstepError {
            print("refused: \(error.message)")
        } catch {
            print("failed: \(error)")
        }
    }
}

extension Store {
    /// In a function that is not async, so that the blocking form is called.
    fileprivate func blockingWrite(_ body: @escaping (borrowing Connection) throws -> Void) throws {
        try blocking.write(body)
    }
}
