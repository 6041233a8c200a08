import ArgumentParser
import Lockstep
import SystemPackage

/// `lockstep backup`: makes a verified copy while others write.
struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy a database to a verified, encrypted backup.",
        discussion: """
            Other programs can read and write meanwhile; the backup is a snapshot of one moment. Every \
            page's MAC, the integrity and the rows of every table are checked before the backup gets its \
            name. An existing file is not overwritten.

            The backup has the same key: keep a copy of the keyring too, or nobody can read the backup. \
            `lockstep restore` restores it. To query the backup, name it with --database and the keyring \
            with --keyring.
            """)

    @Argument(help: "The backup to make.")
    var target: String

    @OptionGroup var access: AccessOptions
    @OptionGroup var reading: ReadOnlyOption
    @OptionGroup var waiting: WaitOptions
    @OptionGroup var output: FormatOptions

    func run() throws {
        try access.limitOptions.start()
        let session = try access.session(readOnly: reading.readOnly)
        let progress = CopyProgressLine("backup")
        let report = try session.store(isReading: true).blocking.backup(to: FilePath(target)) {
            try progress.show($0)
        }
        SetAsideNotice.show(session.path)
        let result = CopyResult(report, from: session.path, to: FilePath(target))
        guard output.format == .text else { return try Output.json(result) }
        result.show("backed up")
        Output.line("verified; it opens with the keyring \(try access.keyringFile().path)")
    }
}
