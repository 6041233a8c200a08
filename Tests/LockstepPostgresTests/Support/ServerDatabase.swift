import Lockstep
import TestServers

@testable import LockstepPostgres

/// A database on a server, as the suites for both engines use it.
final class ServerDatabase: EngineDatabase {
    private let address: ServerAddress
    private let keys: [FieldKeys]

    init(_ keys: FieldKeys?) throws {
        address = try TestServer.shared.get().address()
        self.keys = keys.map { [$0] } ?? []
    }

    private init(_ address: ServerAddress) { (self.address, keys) = (address, []) }

    func withoutKeys() -> any EngineDatabase { ServerDatabase(address) }

    /// Connects again, so that the template of a copy has no connection meanwhile.
    private func connect() throws -> ServerConnection {
        var options = ServerOptions()
        options.fieldKeys = keys
        options.mayBeUnsealed = true
        return try ServerConnection(address, .none, options)
    }

    private func migrator(_ settings: RunSettings) -> ServerMigrator {
        ServerMigrator(
            settings.set, allowsOutOfOrder: settings.allowsOutOfOrder, recordedDown: settings.recordedDown)
    }

    func run(_ target: Plan.Target, _ settings: RunSettings, into report: inout MigrationReport) throws {
        try migrator(settings).run(target, on: connect(), into: &report)
    }

    func plan(_ target: Plan.Target, _ settings: RunSettings) throws -> Plan {
        try migrator(settings).plan(target, on: connect())
    }

    func history() throws -> MigrationHistory { try ServerMigrator.history(connect()) }

    func baseline(_ set: MigrationSet, at version: UInt64) throws -> Int {
        try ServerBaseline(set, at: MigrationVersion(version)).record(on: connect())
    }

    func abandon(_ version: UInt64, of set: String) throws {
        try ServerMigrator.abandon(MigrationVersion(version), of: set, on: connect())
    }

    func verify(_ sets: [MigrationSet]?) throws -> VerificationReport {
        try ServerVerification(sets: sets).run(on: connect())
    }

    func rehearse(_ sets: [MigrationSet]) throws -> RehearsalReport {
        let shared = try TestServer.shared.get()
        let admin = try ServerConnection(shared.address(of: "postgres"))
        let name = address.database + "_copy"
        try admin.execute("DROP DATABASE IF EXISTS \(name: name)")
        try admin.execute("CREATE DATABASE \(name: name) TEMPLATE \(name: address.database)")
        return try ServerRehearsal(sets).run(of: connect(), on: ServerConnection(shared.address(of: name)))
    }

    func execute(_ sql: String) throws { try connect().execute(ServerSQL(verbatim: sql)) }

    func numbers(_ sql: String) throws -> [Int64] { try connect().query(ServerSQL(verbatim: sql)) { try $0[0] } }

    func tables() throws -> [String] { try ServerScratch.tables(connect()) }

    var progressTable: String { ServerProgressTable.table }

    func literal(_ bytes: [UInt8]) -> String { "'\\x\(Hex.encode(bytes))'" }
}
