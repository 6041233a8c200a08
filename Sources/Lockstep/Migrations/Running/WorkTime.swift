/// The time that a migration takes on a connection, without its waits for other connections' locks.
struct WorkTime {
    private let start = Clock.monotonicMicroseconds
    private let waitedBefore: Int64

    /// Begins now.
    init(_ connection: borrowing Connection) { waitedBefore = connection.core.lockWait.waited }

    /// Microseconds of waiting since the beginning.
    func waited(_ connection: borrowing Connection) -> Int64 {
        connection.core.lockWait.waited - waitedBefore
    }

    /// Microseconds since the beginning, without the waits.
    func worked(_ connection: borrowing Connection) -> Int64 {
        Clock.monotonicMicroseconds - start - waited(connection)
    }
}
