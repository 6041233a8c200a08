internal import Synchronization

/// What a file has proven of its sealed columns so far, and must go on proving: nothing that was seen once may be older
/// or gone later. The connections of a store share one.
final class SealedProof: Sendable {
    private struct State {
        /// How often each dataset had been changed, at the most.
        var changes: [[UInt8]: UInt64] = [:]
        /// Datasets of which nothing was sealed yet at a time.
        var unsealed: Set<[UInt8]> = []
        /// Columns that a migration set says are sealed.
        var relied: [String] = []
    }

    private let state = Mutex(State())

    /// How often what is said of a dataset had been changed, as far as was seen; nil if nothing was.
    func changes(of dataset: [UInt8]) -> UInt64? { state.withLock { $0.changes[dataset] } }

    func note(_ changes: UInt64, of dataset: [UInt8]) {
        state.withLock { $0.changes[dataset] = max(changes, $0.changes[dataset] ?? 0) }
    }

    /// Whether nothing of a dataset was sealed yet when the file was opened first.
    func wasUnsealed(_ dataset: [UInt8]) -> Bool {
        state.withLock { $0.unsealed.contains(dataset) }
    }

    func noteUnsealed(_ dataset: [UInt8]) {
        state.withLock { _ = $0.unsealed.insert(dataset) }
    }

    /// The columns that have to be sealed from now on, as `table.column`.
    var relied: [String] {
        get { state.withLock { $0.relied } }
        set { state.withLock { $0.relied = newValue } }
    }
}
