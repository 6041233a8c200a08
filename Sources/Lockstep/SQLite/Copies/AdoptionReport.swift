internal import CSQLCipher

/// What an adoption has come to.
public struct AdoptionReport: Sendable, Hashable {
    /// The new database.
    public let copy: CopyReport
    /// The `application_id` that the original bore, 0 for none: the new database bears Lockstep's.
    public let applicationID: Int64
    /// Rows that refer to rows which are not there, in the original too: `PRAGMA foreign_key_check` lists
    /// them.
    public let brokenForeignKeys: Int

    /// Whether the original bore the mark of another program.
    public var isOfAnotherProgram: Bool {
        applicationID != 0 && applicationID != Connection.applicationID
    }
}
