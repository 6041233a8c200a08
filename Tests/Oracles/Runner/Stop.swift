import Foundation

/// Writes a line at once: a run of half an hour is watched from a file.
func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

/// How a run ends.
enum Stop {
    /// Ends with 2 and says why: the run cannot go on, which is no verdict.
    static func now(_ why: String) -> Never {
        FileHandle.standardError.write(Data("oracle: \(why)\n".utf8))
        exit(2)
    }

    /// Ends with 0 and says why nothing was run.
    static func skipped(_ suite: String, _ why: String) -> Never {
        say("\(suite): skipped: \(why)")
        exit(0)
    }
}
