internal import Lockstep

/// What ``MicroblogStore/save(_:)`` has added.
public struct MicroblogAdditions: Sendable, Hashable {
    /// The keys of the users, in the order that they were added in.
    public internal(set) var userIDs: [Int64] = []
    /// The keys of the statuses, in the order that they were added in.
    public internal(set) var statusIDs: [Int64] = []
}
