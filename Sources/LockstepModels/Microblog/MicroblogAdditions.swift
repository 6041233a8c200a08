internal import Lockstep

/// The keys of what `MicroblogStore.save` added.
public struct MicroblogAdditions: Sendable, Hashable {
    /// The keys of the users, in the order in which they were added.
    public internal(set) var userIDs: [Int64] = []
    /// The keys of the statuses, in the order in which they were added.
    public internal(set) var statusIDs: [Int64] = []
}
