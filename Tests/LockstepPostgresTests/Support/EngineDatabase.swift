import Lockstep
import TestServers
import Testing

@testable import LockstepPostgres

/// The engines that the suites of this folder run on. A suite has a test once, which takes one of them.
enum Engine: CaseIterable, CustomTestStringConvertible {
    case file, server

    /// Without a server, files alone.
    static let available: [Engine] = TestServer.isAvailable ? allCases : [.file]

    var testDescription: String { self == .file ? "file" : "server" }

    /// A database without anything.
    /// - Parameter keys: Those of a dataset whose columns are sealed in it.
    func database(keys: FieldKeys? = nil) throws -> any EngineDatabase {
        switch self {
        case .file: try FileDatabase(keys)
        case .server: try ServerDatabase(keys)
        }
    }

    /// A set named `test`; the first script is version 1.
    func set(_ scripts: [String], named name: String = "test") throws -> MigrationSet {
        try MigrationSet(
            name: name,
            files: scripts.enumerated().map { index, script in
                (name: "000\(index + 1)_step.sql", content: script)
            }, engine: self == .file ? .sqlite : .postgres)
    }

    /// A set in Flyway's layout, which has repeatable migrations.
    func flyway(_ files: (name: String, content: String)...) throws -> MigrationSet {
        try MigrationSet(
            name: "test", layout: .flyway, files: files, engine: self == .file ? .sqlite : .postgres)
    }
}

/// A database of one engine, with what both engines do.
protocol EngineDatabase: AnyObject {
    func run(_ target: Plan.Target, _ settings: RunSettings, into report: inout MigrationReport) throws
    func plan(_ target: Plan.Target, _ settings: RunSettings) throws -> Plan
    func history() throws -> MigrationHistory
    func baseline(_ set: MigrationSet, at version: UInt64) throws -> Int
    func abandon(_ version: UInt64, of set: String) throws
    func verify(_ sets: [MigrationSet]?) throws -> VerificationReport
    /// A rehearsal on a copy, which the engine makes or the test's server.
    func rehearse(_ sets: [MigrationSet]) throws -> RehearsalReport
    /// Runs a statement as its owner, without the engine's protection.
    func execute(_ sql: String) throws
    func numbers(_ sql: String) throws -> [Int64]
    /// The same database for somebody who does not have the keys.
    func withoutKeys() throws -> any EngineDatabase
    /// The tables that are not the engine's.
    func tables() throws -> [String]
    /// The table that says how far versions in progress are.
    var progressTable: String { get }
    /// Bytes as SQL.
    func literal(_ bytes: [UInt8]) -> String
}

/// How a set is run.
struct RunSettings {
    let set: MigrationSet
    var allowsOutOfOrder = false
    var recordedDown = RecordedDown.refused
}

extension EngineDatabase {
    @discardableResult
    func run(
        _ set: MigrationSet, _ target: Plan.Target = .latest, allowsOutOfOrder: Bool = false,
        recordedDown: RecordedDown = .refused
    ) throws -> MigrationReport {
        var report = MigrationReport()
        try run(
            target, RunSettings(set: set, allowsOutOfOrder: allowsOutOfOrder, recordedDown: recordedDown), into: &report
        )
        return report
    }

    /// The recorded versions, as "test 1".
    func recorded() throws -> [String] { try history().entries.map { "\($0.set) \($0.version)" } }

    /// What a check of a verification says.
    func outcome(
        _ check: VerificationReport.Check, _ sets: [MigrationSet]?
    ) throws -> VerificationReport.Outcome {
        try #require(try verify(sets).outcomes.first { $0.check == check })
    }

    /// The findings of a check: "failure: …" and "notice: …".
    func findings(_ check: VerificationReport.Check, _ sets: [MigrationSet]?) throws -> [String] {
        try outcome(check, sets).findings.map { "\($0.isFailure ? "failure" : "notice"): \($0.message)" }
    }
}

/// A way up, and perhaps one down, in the SQL that both engines know.
func script(_ up: String, down: String? = nil) -> String {
    "-- lockstep: up\n\(up)\n" + (down.map { "-- lockstep: down\n\($0)\n" } ?? "")
}
