/// See ``Store/changes``.
public struct ChangeSequence: AsyncSequence, Sendable {
    let observers: Observers

    /// Begins to collect changes.
    public func makeAsyncIterator() -> Iterator { Iterator(subscription: Subscription(observers)) }

    /// Waits for changes, for one consumer.
    public struct Iterator: AsyncIteratorProtocol {
        let subscription: Subscription

        /// What has changed since the last call; nil at the end, or when the task is cancelled.
        public mutating func next() async -> DatabaseChanges? { await subscription.box.next() }
    }
}
