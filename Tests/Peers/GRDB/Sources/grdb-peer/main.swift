import Foundation
import GRDB

do {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "list" {
        print(Workload.list)
    } else {
        let options = try Options(arguments)
        var outcome = Outcome(options)
        try await Workload.run(options, &outcome)
        outcome.peakKiB = Clock.peakKiB()
        print(try outcome.json())
    }
} catch let error as Usage {
    fail("\(error.message)\nhint: see Tests/Peers/README.md for how a peer is called", 64)
} catch {
    fail("\(error)", 1)
}

func fail(_ message: String, _ code: Int32) -> Never {
    FileHandle.standardError.write(Data("error: \(message)\n".utf8))
    exit(code)
}
