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
private final class PieceQueue: Sendable {
    private struct State {
        var next = 0
        var finished = 0
        var workers = 0
        var failure: (any Error)?
    }

    private let count: Int
    private let state = Monitor(State())

    init(_ count: Int) { self.count = count }

    var done: Int { state.locked { $0.finished } }

    func join() { state.locked { $0.workers += 1 } }

    func leave() {
        state.locked { $0.workers -= 1 }
        state.signal()
    }

    func workOff<Tool>(with tool: Transfer<Tool>, _ work: (Int, Tool) throws -> Void) {
        guard let tool = tool.take() else { return }
        workOff { try work($0, tool) }
    }

    func workOff(_ work: (Int) throws -> Void) {
        while let piece = take() {
            do {
                try work(piece)
                state.locked { $0.finished += 1 }
            } catch {
                state.locked { $0.failure = $0.failure ?? error }
            }
        }
    }

    private func take() -> Int? {
        state.locked { state in
            guard state.failure == nil, state.next < count else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }

    /// Waits for the other threads.
    func finish() throws {
        let ended = state.wait { $0.workers == 0 ? $0 : nil }
        if let failure = ended.failure { throw failure }
    }
}

/// The machine's processors.
enum Processors {
    /// The number of processors online at first use, at least one.
    static let count = max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 1)
}
