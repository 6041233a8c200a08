import ArgumentParser
import Lockstep
import LockstepModels
import SystemPackage

/// `lockstep import`: files that people have, into the model stores.
struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import a file into one of the model stores.",
        subcommands: [Movies.self])
}

extension Import {
    /// `lockstep import movies FILE.tsv`
    struct Movies: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Import films from a tab-separated file.",
            discussion: """
                Five fields a line: title, category, year, address, cover's address. A line that is no \
                film is reported with its number, and the others are imported, all in one transaction.
                """)

        @Argument(help: "The tab-separated file.")
        var file: String

        @OptionGroup var access: AccessOptions
        @OptionGroup var output: FormatOptions

        private struct Rejection: Encodable {
            let line: Int
            let reason: String
        }

        private struct Result: Encodable {
            let imported: Int
            let rejected: Int
            let rejections: [Rejection]
        }

        func run() throws {
            let session = try access.session()
            let report = try MovieStore(session.store()).importTSV(FilePath(file))
            guard output.format == .text else {
                return try Output.json(
                    Result(
                        imported: report.imported, rejected: report.rejected,
                        rejections: report.rejections.map {
                            Rejection(line: $0.line, reason: $0.reason)
                        }))
            }
            Output.line("imported \(report.imported) films, left out \(report.rejected) lines")
            for rejection in report.rejections {
                Output.note("\(file):\(rejection.line): left out: \(rejection.reason)")
            }
            if report.rejected > report.rejections.count {
                Output.note("and \(report.rejected - report.rejections.count) lines more")
            }
        }
    }
}
