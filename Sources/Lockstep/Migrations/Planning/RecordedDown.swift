/// Whether the text that the database recorded when a version was applied may undo the version.
///
/// Anyone who has the database's key can write that text. Therefore it runs only at the caller's request, and
/// only on a connection without field keys: there it can do no more than the holder of the database's key can.
public enum RecordedDown: Sendable, Equatable {
    /// Only the file or code of a version undoes it, and it must be unchanged since the version was applied.
    case refused
    /// The recorded text undoes a version whose file is gone or is no longer the applied one.
    case allowed

    /// - Throws: ``LockstepError/Code/misuse`` if recorded SQL may run and the connection has field keys.
    func require(on connection: borrowing Connection) throws(LockstepError) {
        guard self == .allowed, let sealed = connection.sealed, !sealed.allKeys.isEmpty else {
            return
        }
        throw LockstepError(
            .misuse, "a recorded way down does not run on a connection with field keys",
            advice: "open the database without field keys: omit \(.fieldKeys)")
    }
}
