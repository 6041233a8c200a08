/// The time that a migration takes on a connection, without its waits for other connections' locks.
struct WorkTime {
    private let start = Clock.monotonicMicroseconds
    private let waitedBefore: Int64

    /// Begins now.
    init(_ connection: borrowing Connection) { waitedBefore = connection.core.lockWait.waited }

    /// How long it has waited since the beginning.
    func waited(_ connection: borrowing Connection) -> Duration {
        .microseconds(connection.core.lockWait.waited - waitedBefore)
    }

    /// The time since the beginning, without the waits.
    func worked(_ connection: borrowing Connection) -> Duration {
        Clock.time(since: start) - waited(connection)
    }
}
