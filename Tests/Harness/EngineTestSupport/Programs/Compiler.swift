import Foundation
import Subprocess
import SystemPackage
import TestSupport

/// The compiler's opinion of a program that uses this build of the library.
enum Compiler {
    private static let folder = Programs.path("").removingLastComponent().appending("Modules")
    /// The C modules that the library's module needs.
    private static let maps =
        [
            "Sources/CSQLCipher/module.modulemap", "Sources/CCrypto/module.modulemap",
        ].map { Programs.package.appending($0) } + [
            checkouts.appending("swift-system/Sources/CSystem/include/module.modulemap")
        ]

    /// The sources of dependencies, in the folder that this build was made in.
    private static var checkouts: FilePath {
        var folder = folder
        while !FileManager.default.fileExists(atPath: folder.appending("checkouts").string), !folder.components.isEmpty
        {
            folder.removeLastComponent()
        }
        return folder.appending("checkouts")
    }

    private static let isInstalled = (ProcessInfo.processInfo.environment["PATH"] ?? "")
        .split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/swiftc")
        }

    static let isThere =
        isInstalled
        && (maps + [folder.appending("Lockstep.swiftmodule")]).allSatisfy {
            FileManager.default.fileExists(atPath: $0.string)
        }

    /// The errors, warnings among them, in a main.swift with this text.
    static func errors(_ text: String) async throws -> [String] {
        let scratch = try TemporaryFolder()
        let file = try scratch.write("main.swift", text)
        let arguments =
            ["-typecheck", "-swift-version", "6", "-warnings-as-errors", "-I", folder.string]
            + ["-module-cache-path", Programs.path("ModuleCache").string]
            + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0.string)"] } + [file.string]
        let result = try await run(
            .name("swiftc"), arguments: Arguments(arguments), output: .discarded, error: .string(limit: 1_000_000))
        let errors = result.standardError.split(separator: "\n").map(String.init)
            .filter { $0.contains(": error: ") && $0.hasPrefix(file.string) }
        // Anything else that is wrong is no opinion of the program.
        guard !errors.isEmpty || result.terminationStatus.isSuccess else {
            return [result.standardError]
        }
        return errors
    }
}
