import Foundation
import SystemPackage
import Testing

@testable import EngineTestSupport

/// SQLCipher's own command line shell, as another program that works on Lockstep files.
enum SQLCipherShell {
    static let missing: Comment = "there is no sqlcipher shell on PATH"

    static var isPresent: Bool { executable != nil }

    private static let executable: URL? = {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return folders.map { URL(filePath: "\($0)/sqlcipher") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }()

    /// Runs `script` on a database under a raw key and returns the lines that the shell printed.
    static func run(_ script: String, on path: FilePath, key: [UInt8]) throws -> [String] {
        let hex = key.map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
        return try run(script, on: path, keyText: "x'\(hex.joined())'")
    }

    /// The same with what `PRAGMA key` takes, a passphrase or a raw key.
    static func run(_ script: String, on path: FilePath, keyText: String) throws -> [String] {
        let executable = try #require(executable, missing)
        let process = Process()
        process.executableURL = executable
        process.arguments = ["-batch", "-bail", path.string]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = "PRAGMA key = \"\(keyText)\";\n\(script)\n"
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        try input.fileHandleForWriting.close()
        let answer = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        // The first line is the key's "ok".
        return String(decoding: answer, as: UTF8.self).split(separator: "\n").dropFirst()
            .map(String.init)
    }
}
