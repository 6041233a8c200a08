import Foundation

/// Writes a line at once: users watch a half-hour run through a file.
func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

/// The ways in which a run ends.
enum Stop {
    /// Exits with 2 and gives the reason: the run cannot continue, which is not a verdict.
    static func now(_ why: String) -> Never {
        FileHandle.standardError.write(Data("oracle: \(why)\n".utf8))
        exit(2)
    }

    /// Exits with 0 and gives the reason why nothing was run.
    static func skipped(_ suite: String, _ why: String) -> Never {
        say("\(suite): skipped: \(why)")
        exit(0)
    }
}
