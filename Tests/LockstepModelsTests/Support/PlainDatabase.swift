import Foundation
import SystemPackage
import TestSupport
import Testing

/// Plaintext databases like those of the original programs, created by the program `sqlite3`.
enum PlainDatabase {
    static let isPossible = program != nil
    static let missing: Comment = "there is no program sqlite3"

    private static let program: String? = [
        "/usr/bin/sqlite3", "/usr/local/bin/sqlite3", "/opt/homebrew/bin/sqlite3",
    ]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// A text in SQL, whatever its content.
    static func quoted(_ text: String) -> String {
        let hex = text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return "CAST(x'\(hex)' AS TEXT)"
    }

    /// Creates one from SQL.
    static func make(_ name: String, in folder: TemporaryFolder, _ sql: String) throws -> FilePath {
        let path = folder.file(name)
        let process = Process()
        process.executableURL = URL(filePath: try #require(program))
        process.arguments = ["-batch", "-bail", path.string]
        let input = Pipe()
        process.standardInput = input
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(sql.utf8))
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return path
    }
}
