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
            database has the keyring's active key. Exits with 0 if everything was recovered, and with 65 if anything \
            was lost; in both cases it makes the new database and reports the losses.

            A row whose table is unknown is in the table lost_and_found of the new database, with its page. \
            That is every row where the schema is damaged: --migrations or --schema then gives the rows \
            back to the tables that alone can have them.

            With --fields, a lost registry of sealed columns is made again in the new database, from what the \
            fields keyring remembers, if cells prove that.

            Where a damaged log was set aside when the database was opened, it is salvaged too.

            If there is a backup, `lockstep restore` recovers more. To replace the damaged database with \
            the new one: lockstep restore --database DAMAGED NEW
            """)

    @Argument(help: "The new database to make.")
    var target: String

    @Option(
        name: [.customShort("m"), .customLong("migrations")],
        help: ArgumentHelp(
            "The migration set, or the folder of sets, that made the database, if its schema is damaged.",
            valueName: "migrations"))
    var migrations: String?

    @Option(
        help: ArgumentHelp(
            "The same as a file with the CREATE statements, as `.schema` of the sqlcipher shell prints them.",
            valueName: "file"))
    var schema: String?

    @OptionGroup var access: AccessOptions
    @OptionGroup var waiting: WaitOptions
    @OptionGroup var output: FormatOptions

    func validate() throws {
        guard migrations == nil || schema == nil else {
            throw ValidationError("give --migrations or --schema, not both")
        }
    }

    func run() throws {
        try access.limitOptions.start()
        var salvage = Lockstep.Salvage(try access.database.path(), into: FilePath(target))
        if let migrations {
            try salvage.takeSchema(from: MigrationSet.sets(in: FilePath(migrations)))
        }
        if let schema { try salvage.takeSchema(fromSQL: FilePath(schema)) }
        var session = try access.session()
        let progress = CopyProgressLine("salvage")
        let report = try session.salvage(salvage) { try progress.show($0) }
        session.bind(copy: FilePath(target))
        let registries = try session.rebuildRegistries(in: FilePath(target))
        try report.show(from: session.path.string, to: target, keyring: access.keyringFile().path, output)
        if output.format == .text { for line in registries { Output.line(line) } }
        if !report.isComplete { throw ExitCode(Exit.tampered) }
    }
}

extension SalvageReport {
    /// Prints the report.
    func show(from: String, to: String, keyring: FilePath, _ output: FormatOptions) throws {
        guard output.format == .text else { return try Output.json(json(from: from, to: to)) }
        Output.line("salvaged \(from) into \(to)")
        for line in description.split(separator: "\n") { Output.line(String(line)) }
        Output.line("it opens with the keyring \(keyring)")
    }

    /// The report for programs.
    fileprivate func json(from: String, to: String) -> JSONObject {
        [
            "from": from, "to": to, "isComplete": isComplete, "rows": rows, "pages": pages,
            "tables": tables.map(\.json), "damagedPages": damagedPages, "unplacedDamagedPages": unplacedDamagedPages,
            "outdatedPages": outdatedPages, "unattributedPages": unattributedPages, "missingPages": missingPages,
            "strayBytes": strayBytes, "unreadableFrames": unreadableFrames,
            "isLogUnreadable": isLogUnreadable, "isSchemaUnverified": isSchemaUnverified,
            "isSchemaIncomplete": isSchemaIncomplete, "isFreeListUnreadable": isFreeListUnreadable,
            "lostAndFound": lostAndFound.map {
                ["table": $0.table, "rows": $0.rows] as JSONObject
            },
            "setAside": setAside.map(\.json),
            "inconsistencies": inconsistencies,
            "failures": failures.map { ["object": $0.object, "reason": $0.reason] as JSONObject },
            "orphans": orphans.map {
                ["table": $0.table, "parent": $0.parent, "rows": $0.rows] as JSONObject
            },
        ]
    }
}

extension SalvageReport.SetAside {
    fileprivate var json: JSONObject {
        [
            "copy": copy.string, "rows": rows, "isUnreadable": isUnreadable,
            "lostAndFound": lostAndFound.map {
                ["table": $0.table, "rows": $0.rows] as JSONObject
            },
        ]
    }
}

extension SalvageReport.Table {
    fileprivate var json: JSONObject {
        [
            "name": name, "isComplete": isComplete, "rows": rows, "rowsFoundByContent": rowsFoundByContent,
            "rowsOfOlderVersions": rowsOfOlderVersions, "unreadablePages": unreadablePages,
            "rowsWithBrokenOverflow": rowsWithBrokenOverflow, "malformedRows": malformedRows,
            "duplicateRows": duplicateRows, "refusedRows": refusedRows,
        ]
    }
}
