public import SystemPackage

/// What became of one file of a fleet.
public struct FleetResult: Sendable {
    /// The database file.
    public let file: FilePath
    /// The id that the database had when it was opened first; nil for none.
    package internal(set) var database: [UInt8]?
    /// Why it failed; nil if all went well.
    public internal(set) var error: LockstepError?
    /// Whether it was not begun, since the fleet was stopped before.
    public internal(set) var wasSkipped = false
    /// The newest version that was applied before, of each set that had any.
    public internal(set) var from: [String: MigrationVersion] = [:]
    /// The newest version that is applied now, as far as it could be told.
    public internal(set) var to: [String: MigrationVersion] = [:]
    /// The versions that were run. After ``SafeMigrationReport/Outcome/restored`` they are not applied.
    public internal(set) var steps: [MigrationReport.Step] = []
    /// What was not as it should be, without standing in the way.
    public internal(set) var notices: [LockstepError] = []
    /// How the safe migration ended, and where its backup stands; nil where none was asked for.
    public internal(set) var safe: SafeMigrationReport?
    /// For how long, in microseconds, opening and closing included.
    public internal(set) var duration: Int64 = 0

    /// Whether all went well.
    public var isSuccess: Bool { error == nil }
}
