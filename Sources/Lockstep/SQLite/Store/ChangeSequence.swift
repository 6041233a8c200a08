/// See ``Store/changes``.
public struct ChangeSequence: AsyncSequence, Sendable {
    let observers: Observers

    /// Starts collecting changes.
    public func makeAsyncIterator() -> Iterator { Iterator(subscription: Subscription(observers)) }

    /// Waits for changes on behalf of one consumer.
    public struct Iterator: AsyncIteratorProtocol {
        let subscription: Subscription

        /// The changes since the last call; nil at the end or when the task is cancelled.
        public mutating func next() async -> DatabaseChanges? { await subscription.box.next() }
    }
}
