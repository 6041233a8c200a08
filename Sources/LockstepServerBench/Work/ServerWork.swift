import BenchKit
import FoundationEssentials
import Lockstep
import LockstepPostgres
import SystemPackage

/// What Lockstep does in a process of its own.
enum ServerWork: String, CaseIterable, Sendable {
    /// Makes the file, and the schema that others are like: not measured.
    case prepare
    /// Copies the file to an empty schema.
    case copyIn = "copy-in"
    /// The same with a fifth of the rows, beside which memory is compared.
    case copyFifth = "copy-fifth"
    /// Copies the schema to a new file.
    case copyOut = "copy-out"
    /// Puts the rows of a file of COPY into a new encrypted file.
    case insertFile = "insert-file"
    /// Seals rows, and sends them in one call.
    case insert
    /// Finds rows by their sealed text.
    case lookup
    /// The same in one transaction.
    case lookupTogether = "lookup-together"
    /// Runs a folder of migrations.
    case migrate

    /// The unique texts of the plain table are these numbers.
    static let firstName = 1_000_000_000_000_000_000
    static let nameStep = 7919

    func run(_ site: BenchSite, schema: String) throws -> Sample {
        switch self {
        case .prepare: try Preparation(site: site).run(schema)
        case .copyIn:
            try CopyWork(site: site).toServer(schema, from: site.source, rows: site.rows)
        case .copyFifth:
            try CopyWork(site: site).toServer(schema, from: site.fifth, rows: site.rows / 5)
        case .copyOut: try CopyWork(site: site).toFile(schema)
        case .insertFile: try CopyWork(site: site).insertFile()
        case .insert: try InsertWork(site: site).run(schema)
        case .lookup: try LookupWork(site: site).run(schema, inTransaction: false)
        case .lookupTogether: try LookupWork(site: site).run(schema, inTransaction: true)
        case .migrate:
            try {
                let server = try site.connect(schema, sealed: false)
                return try Sample.measure {
                    let set = try MigrationSet(folder: site.migrationsFolder, engine: .postgres)
                    let report = try ServerMigrator(set).run(on: server)
                    guard report.steps.count == site.migrations else {
                        throw BenchError("\(report.steps.count) migrations were applied")
                    }
                }
            }()
        }
    }
}
