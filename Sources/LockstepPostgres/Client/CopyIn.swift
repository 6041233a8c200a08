public import Lockstep

/// Takes the bytes of a COPY, in the format that its statement names.
public struct CopyIn: ~Copyable {
    let session: ServerSession

    /// Sends a piece, which need not end where a row ends.
    /// - Throws: `LockstepError.Code.serverUnreachable`.
    public func write(_ bytes: [UInt8]) throws(LockstepError) { try session.putCopy(bytes) }
}
