import ArgumentParser
import Lockstep
import SystemPackage

/// `lockstep backup`: a verified copy while writes go on.
struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy a database to a verified, encrypted backup.",
        discussion: """
            Others may read and write meanwhile; the backup is of one moment. Every page's MAC, the \
            integrity and the rows of every table are checked before the backup gets its name; nothing \
            that stands there is overwritten.

            The backup is under the same key: keep a copy of the keyring, too, or nobody can read it. \
            `lockstep restore` brings it back; to look into it, name it with --database and the keyring \
            with --keyring.
            """)

    @Argument(help: "The backup to make.")
    var target: String

    @OptionGroup var access: AccessOptions
    @OptionGroup var output: FormatOptions

    func run() throws {
        let session = try access.session()
        let progress = CopyProgressLine("backup")
        let report = try session.store().backup(to: FilePath(target)) { try progress.tell($0) }
        let result = CopyResult(report, from: session.path, to: FilePath(target))
        guard output.format == .text else { return try Output.json(result) }
        result.tell("backed up")
        Output.line("verified; it opens with the keyring \(try access.keyringFile().path)")
    }
}
