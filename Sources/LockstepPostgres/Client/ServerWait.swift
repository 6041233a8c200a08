internal import CPostgreSQL
internal import Lockstep

/// What a session has waited for since a statement began.
@safe
struct ServerWait {
    /// When the server was last heard, in microseconds.
    var heardAt = Clock.monotonicMicroseconds
    /// When the program was last asked whether it still wants the answer.
    var askedAt = Clock.monotonicMicroseconds
    /// The bytes since the last row or result, with which libpq can have filled memory: about as many.
    var quietBytes = 0
    /// How many results have come.
    var results = 0
    /// When the answer was no longer wanted.
    var unwantedAt: Int64?
    /// Whether the statement may be cancelled: what ends a transaction is awaited.
    let mayCancel: Bool
    /// The cancellation that is under way.
    var cancellation: UnsafeMutablePointer<lockstep_cancellation>?

    init(mayCancel: Bool = true) { self.mayCancel = mayCancel }
}
