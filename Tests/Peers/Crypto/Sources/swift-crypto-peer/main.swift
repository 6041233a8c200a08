import Foundation

do {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "list" {
        print(Cells.list)
    } else {
        print(try Outcome(of: Options(arguments)).json())
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
