internal import Lockstep

/// A place in the timeline: newest first, statuses of one instant by their keys, those without an instant last.
public struct TimelineCursor: Sendable, Hashable {
    /// The instant of the previous entry, in microseconds since 1970 in UTC.
    public let createdAt: Int64?
    /// Its key.
    public let id: Int64

    /// The place after the status with this instant and key.
    public init(createdAt: Int64?, id: Int64) {
        self.createdAt = createdAt
        self.id = id
    }
}
