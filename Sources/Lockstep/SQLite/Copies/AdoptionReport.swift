/// The result of an adoption.
public struct AdoptionReport: Sendable, Hashable {
    /// The new database.
    public internal(set) var copy: CopyReport
    /// The original's `application_id`, 0 for none. The new database has Lockstep's.
    public let applicationID: Int64
    /// Rows that refer to missing rows, in the original too. `PRAGMA foreign_key_check` lists them. 0 if only a program with
    /// one of ``ownCollations`` can compare them.
    public let brokenForeignKeys: Int
    /// Collations that only the original's program has. The indexes of the new database have the order that the original's
    /// indexes have; whether that is the collation's, only that program can check.
    public let ownCollations: [String]
    /// The objects that were left out, as ``Adoption/leavesOut`` asked.
    public let leftOut: [String]
    /// Bytes of the original's pages. The new database has pages of 4096.
    public let pageSize: Int
    /// The settings of a SQLCipher original that are not those of one of its versions, as the text of
    /// ``SQLCipherSettings``; nil for all others. The new database has the defaults of SQLCipher 4.
    public internal(set) var settings: String?

    /// Whether the original has pages of another size than the new database.
    public var hasOtherPageSize: Bool { pageSize != Profile.current.pageSize }
    /// Whether the original has another program's `application_id`.
    public var isOfAnotherProgram: Bool {
        applicationID != 0 && applicationID != Connection.applicationID
    }
}
