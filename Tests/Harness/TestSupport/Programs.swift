import EndWithParent
import Foundation
public import SystemPackage

/// Programs of this package, built beside the tests.
public enum Programs {
    /// The path of a program by its name, such as `lockstep`: where the environment has LOCKSTEP_TESTED_TOOL, as for
    /// `make test`, the tool is that program.
    ///
    /// From the first call on this process ends with its parent, so that a killed `swift test` leaves none that starts
    /// programs.
    public static func path(_ name: String) -> FilePath {
        lockstep_end_with_parent()
        if name == "lockstep", let tool = ProcessInfo.processInfo.environment["LOCKSTEP_TESTED_TOOL"] {
            return FilePath(tool)
        }
        let tests = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
        return FilePath(tests.deletingLastPathComponent().appending(path: name).path)
    }

    /// The package's own folder, for its migrations and data.
    public static let package: FilePath = {
        var path = FilePath(#filePath)
        for _ in 0..<4 { path.removeLastComponent() }
        return path
    }()
}
