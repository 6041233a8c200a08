import ArgumentParser
import Lockstep
import SystemPackage

/// `lockstep salvage`: recovers what is readable from a damaged database into a new one.
struct Salvage: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Recover what is readable from a damaged database into a new one.",
        discussion: """
            Recovers the rows of every page whose MAC verifies, whether or not another page still refers \
            to it. The damaged file is only read, and no program may write to it meanwhile. The new \
            database has the same key. Exits with 0 if everything was recovered, and with 65 if anything \
            was lost; in both cases it makes the new database and reports the losses.

            If there is a backup, `lockstep restore` recovers more. To replace the damaged database with \
            the new one: lockstep restore --database DAMAGED NEW
            """)

    @Argument(help: "The new database to make.")
    var target: String

    @OptionGroup var access: AccessOptions
    @OptionGroup var output: FormatOptions

    func run() throws {
        var session = try access.session()
        let key = try session.key()
        let progress = CopyProgressLine("salvage")
        let report = try Lockstep.Salvage(session.path, into: FilePath(target)).run(
            key: key, newKey: key
        ) { try progress.show($0) }
        session.bind(new: FilePath(target))
        try show(report, session.path)
        if !report.isComplete { throw ExitCode(Exit.tampered) }
    }

    private func show(_ report: SalvageReport, _ path: FilePath) throws {
        guard output.format == .text else {
            return try Output.json(SalvageResult(report, from: path.string, to: target))
        }
        Output.line("salvaged \(path) into \(target)")
        for line in report.description.split(separator: "\n") { Output.line(String(line)) }
        Output.line("it opens with the keyring \(try access.keyringFile().path)")
    }
}

/// A salvage's report for programs.
private struct SalvageResult: Encodable {
    private struct Table: Encodable {
        let name: String
        let isComplete: Bool
        let rows: Int
        let rowsFoundByContent: Int
        let rowsOfOlderVersions: Int
        let unreadablePages: Int
        let rowsWithBrokenOverflow: Int
        let malformedRows: Int
        let duplicateRows: Int
        let refusedRows: Int

        init(_ table: SalvageReport.Table) {
            name = table.name
            isComplete = table.isComplete
            rows = table.rows
            rowsFoundByContent = table.rowsFoundByContent
            rowsOfOlderVersions = table.rowsOfOlderVersions
            unreadablePages = table.unreadablePages
            rowsWithBrokenOverflow = table.rowsWithBrokenOverflow
            malformedRows = table.malformedRows
            duplicateRows = table.duplicateRows
            refusedRows = table.refusedRows
        }
    }

    private struct Failure: Encodable {
        let object: String
        let reason: String
    }

    private struct Orphans: Encodable {
        let table: String
        let parent: String
        let rows: Int
    }

    private struct LostAndFound: Encodable {
        let table: String
        let rows: Int
    }

    private let from: String
    private let to: String
    private let isComplete: Bool
    private let rows: Int
    private let tables: [Table]
    private let pages: Int
    private let damagedPages: [UInt32]
    private let unplacedDamagedPages: [UInt32]
    private let outdatedPages: [UInt32]
    private let unattributedPages: [UInt32]
    private let missingPages: Int
    private let strayBytes: Int
    private let unreadableFrames: Int
    private let isLogUnreadable: Bool
    private let isSchemaUnverified: Bool
    private let isSchemaIncomplete: Bool
    private let isFreeListUnreadable: Bool
    private let lostAndFound: LostAndFound?
    private let failures: [Failure]
    private let orphans: [Orphans]

    init(_ report: SalvageReport, from: String, to: String) {
        self.from = from
        self.to = to
        isComplete = report.isComplete
        rows = report.rows
        tables = report.tables.map(Table.init)
        pages = report.pages
        damagedPages = report.damagedPages
        unplacedDamagedPages = report.unplacedDamagedPages
        outdatedPages = report.outdatedPages
        unattributedPages = report.unattributedPages
        missingPages = report.missingPages
        strayBytes = report.strayBytes
        unreadableFrames = report.unreadableFrames
        isLogUnreadable = report.isLogUnreadable
        isSchemaUnverified = report.isSchemaUnverified
        isSchemaIncomplete = report.isSchemaIncomplete
        isFreeListUnreadable = report.isFreeListUnreadable
        lostAndFound = report.lostAndFound.map { LostAndFound(table: $0.table, rows: $0.rows) }
        failures = report.failures.map { Failure(object: $0.object, reason: $0.reason) }
        orphans = report.orphans.map {
            Orphans(table: $0.table, parent: $0.parent, rows: $0.rows)
        }
    }
}
