public import SystemPackage

/// The result for one file of a fleet.
public struct FleetResult: Sendable {
    /// The database file.
    public let file: FilePath
    /// The id that the database had when it was first opened; nil for none.
    package internal(set) var database: [UInt8]?
    /// Why it failed; nil if it succeeded.
    public internal(set) var error: LockstepError?
    /// Whether it was not started because the fleet was stopped first.
    public internal(set) var wasSkipped = false
    /// The newest version applied before, for each set that had any.
    public internal(set) var from: [String: MigrationVersion] = [:]  // exact: names of sets
    /// The newest version applied now, as far as it is known.
    public internal(set) var to: [String: MigrationVersion] = [:]  // exact: names of sets
    /// The versions that ran. After ``SafeMigrationReport/Outcome/restored`` they are not applied.
    public internal(set) var steps: [MigrationReport.Step] = []
    /// Problems that did not stop the migration.
    public internal(set) var notices: [LockstepError] = []
    /// How the safe migration ended, and the path of its backup; nil if none was requested.
    public internal(set) var safe: SafeMigrationReport?
    /// When its migration began, and how long it took, including opening and closing.
    public internal(set) var time = JobTime()

    /// Whether it succeeded.
    public var isSuccess: Bool { error == nil }
}
