/// The result of an adoption.
public struct AdoptionReport: Sendable, Hashable {
    /// The new database.
    public internal(set) var copy: CopyReport
    /// The original's `application_id`, 0 for none. The new database has Lockstep's.
    public let applicationID: Int64
    /// Rows that refer to missing rows, in the original too. `PRAGMA foreign_key_check` lists them.
    public let brokenForeignKeys: Int

    /// Whether the original has another program's `application_id`.
    public var isOfAnotherProgram: Bool {
        applicationID != 0 && applicationID != Connection.applicationID
    }
}
