/// Whether a version may be undone by the text that the database recorded when it was applied.
///
/// Anyone who has the database's key can write that text. So it does not run unless the caller says so, and only on a
/// connection without field keys: there it can do what the author of the file could do with the database's key.
public enum RecordedDown: Sendable, Equatable {
    /// A version is undone by its file or code alone, which must be the one that was applied.
    case refused
    /// A version whose file is gone, or is not the one that was applied any more, is undone as recorded.
    case allowed

    /// - Throws: ``LockstepError/Code/misuse`` for a connection with field keys on which recorded SQL may run.
    func require(on connection: borrowing Connection) throws(LockstepError) {
        guard self == .allowed, let sealed = connection.sealed, !sealed.allKeys.isEmpty else {
            return
        }
        throw LockstepError(
            .misuse, "a recorded way down does not run on a connection that holds field keys",
            hint: "open the database without them: leave --fields away")
    }
}
