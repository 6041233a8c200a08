internal import Synchronization

/// The facts that a file has proven about its sealed columns so far. It must go on proving it: anything that was seen
/// once must not be older or missing later. The connections of a store share one proof.
package final class SealedProof: Sendable {
    /// - Parameter isOpened: Whether another connection has compared the keyrings with the file.
    package init(isOpened: Bool = false) { self.isOpened = isOpened }

    private struct State {
        /// The newest state seen of each dataset's registry.
        var states: [[UInt8]: RegistryState] = [:]
        /// Datasets in which nothing was sealed yet at some point.
        var unsealed: Set<[UInt8]> = []
        /// Whether a connection was opened, and so the keyrings were compared with the file.
        var isOpened = false
        /// Columns that a migration set declares as sealed.
        var relied: [String] = []
    }

    private let state = Mutex(State())

    /// The newest state seen of a dataset's registry; nil if none was seen.
    func state(of dataset: [UInt8]) -> RegistryState? { state.withLock { $0.states[dataset] } }

    func note(_ seen: RegistryState, of dataset: [UInt8]) {
        state.withLock { state in
            if let known = state.states[dataset], known.changes >= seen.changes { return }
            state.states[dataset] = seen
        }
    }

    /// Whether nothing of a dataset was sealed yet when the file was first opened.
    func wasUnsealed(_ dataset: [UInt8]) -> Bool {
        state.withLock { $0.unsealed.contains(dataset) }
    }

    func noteUnsealed(_ dataset: [UInt8]) {
        state.withLock { _ = $0.unsealed.insert(dataset) }
    }

    /// Whether the file was compared with its keyrings. Later it can know newer ones, which does not make a running
    /// program's keyrings old.
    var isOpened: Bool {
        get { state.withLock { $0.isOpened } }
        set { state.withLock { $0.isOpened = newValue } }
    }

    /// The columns that must be sealed from now on, as `table.column`.
    var relied: [String] {
        get { state.withLock { $0.relied } }
        set { state.withLock { $0.relied = newValue } }
    }
}
