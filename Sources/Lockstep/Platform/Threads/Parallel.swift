#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Processes numbered pieces of work on several threads, including the caller's.
enum Parallel {
    /// Runs `work` once for each number below `pieces`, in roughly ascending order, and returns when all work is done.
    ///
    /// After the first error, no further piece begins, and the error is thrown when the running pieces have ended. If
    /// the system provides fewer threads, the work only takes longer.
    /// - Parameters:
    ///   - tools: One for each thread. A tool is used by one thread at a time, and no longer when this returns.
    ///   - progress: Called on the caller's thread after each of its own pieces, with the number of pieces done by all
    ///     threads; called at the end if the other threads did everything. Its errors are thrown.
    static func run<Tool: Sendable>(
        pieces: Int, with tools: [Tool], _ work: @escaping @Sendable (Int, Tool) throws -> Void,
        progress: (Int) throws -> Void = { _ in }
    ) throws {
        guard let own = tools.first, pieces > 0 else { return }
        let queue = PieceQueue(pieces)
        var threads: [WorkerThread] = []
        for tool in tools.dropFirst().prefix(pieces - 1) {
            let thread = WorkerThread()
            let transfer = Transfer(tool)
            queue.join()
            do throws(LockstepError) {
                try thread.submit {
                    queue.workOff(with: transfer, work)
                    queue.leave()
                }
                threads.append(thread)
            } catch {
                queue.leave()
            }
        }
        var hasReported = false
        queue.workOff { piece in
            try work(piece, own)
            hasReported = true
            try progress(queue.done + 1)
        }
        try queue.finish()
        if !hasReported { try progress(pieces) }
    }
}

/// The remaining pieces and the outcome.
// Sendable by this proof: every property is accessed only while the condition's lock is held.
private final class PieceQueue: @unchecked Sendable {
    private let changed = Condition()
    private let count: Int
    private var next = 0
    private var finished = 0
    private var workers = 0
    private var failure: (any Error)?

    init(_ count: Int) { self.count = count }

    var done: Int { changed.locked { finished } }

    func join() { changed.locked { workers += 1 } }

    func leave() {
        changed.locked { workers -= 1 }
        changed.signal()
    }

    func workOff<Tool>(with tool: Transfer<Tool>, _ work: (Int, Tool) throws -> Void) {
        guard let tool = tool.take() else { return }
        workOff { try work($0, tool) }
    }

    func workOff(_ work: (Int) throws -> Void) {
        while let piece = take() {
            do {
                try work(piece)
                changed.locked { finished += 1 }
            } catch {
                changed.locked { failure = failure ?? error }
            }
        }
    }

    private func take() -> Int? {
        changed.locked {
            guard failure == nil, next < count else { return nil }
            next += 1
            return next - 1
        }
    }

    /// Waits for the other threads.
    func finish() throws {
        let failure = changed.locked { () -> (any Error)? in
            while workers > 0 { changed.wait() }
            return self.failure
        }
        if let failure { throw failure }
    }
}

/// The machine's processors.
enum Processors {
    /// The number of processors online at first use, at least one.
    static let count = max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 1)
}
