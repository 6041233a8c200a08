import Foundation

// Runs third-party suites against Lockstep.
//
//   OracleRunner sqllogictest FOLDER [--only TEXT] [--corrupt N] [--drop N]
//   OracleRunner age FOLDER [--corrupt N]
//
// FOLDER contains the suite's files. --only runs the files whose names contain TEXT. The other two are controls, with
// which a run must fail: --corrupt N changes the Nth expected result, --drop N omits the Nth write.
//
// Exits with 0 if everything is as the suite expects, or the folder is missing; with 1 if something is wrong; with 2 if
// it could not run.

/// The parsed arguments.
struct Request {
    let suite: String
    let folder: String
    var only: String?
    var corrupted: Int?
    var dropped: Int?

    init(_ arguments: [String]) {
        let usage =
            "say `OracleRunner sqllogictest FOLDER` or `OracleRunner age FOLDER`, then "
            + "--only TEXT, --corrupt N or --drop N"
        guard arguments.count >= 3 else { Stop.now(usage) }
        suite = arguments[1]
        folder = arguments[2]
        var rest = arguments.dropFirst(3)
        while let option = rest.popFirst() {
            guard let value = rest.popFirst() else { Stop.now("\(option) needs a value: \(usage)") }
            switch (option, Int(value)) {
            case ("--only", _): only = value
            case ("--corrupt", let number?): corrupted = number
            case ("--drop", let number?): dropped = number
            default: Stop.now("\(option) \(value) is not known: \(usage)")
            }
        }
    }

    /// The suite's files, by their paths below its folder.
    func files(_ isWanted: (String) -> Bool) -> [String] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder),
            isFolder.boolValue
        else { Stop.skipped(suite, "there is no folder \(folder); README.md says where it is had") }
        let paths = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String }
        let wanted = (paths ?? []).filter { path in
            isWanted(path) && only.map { path.contains($0) } ?? true
        }
        guard !wanted.isEmpty else {
            Stop.now("\(folder) has no file of \(suite); README.md says what it should hold")
        }
        return wanted.sorted()
    }

    /// The content of a file of ``files(_:)``.
    func read(_ path: String) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: "\(folder)/\(path)") else {
            Stop.now("\(folder)/\(path) cannot be read")
        }
        return [UInt8](data)
    }
}

@main
struct OracleRunner {
    static func main() async {
        let request = Request(CommandLine.arguments)
        let isRight: Bool
        switch request.suite {
        case "sqllogictest":
            var suite = LogicSuite(request)
            isRight = await suite.run()
        case "age": isRight = AgeSuite(request).run()
        default: Stop.now("there is no suite \(request.suite): sqllogictest or age is wanted")
        }
        exit(isRight ? 0 : 1)
    }
}
