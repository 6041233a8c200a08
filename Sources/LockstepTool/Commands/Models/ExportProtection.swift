import ArgumentParser
import Lockstep
import SystemPackage

/// How what leaves the database is kept from others.
struct ExportProtection: ParsableArguments {
    @Flag(help: "Write plaintext, which everybody can read who gets the file.")
    var plaintext = false

    func validate() throws {
        guard plaintext else {
            throw ValidationError(
                "what is exported would not be encrypted: confirm with --plaintext")
        }
    }

    private struct Result: Encodable {
        let exported: Int
        let target: String
        let isPlaintext: Bool
    }

    /// Writes one file.
    /// - Parameters:
    ///   - kind: What is exported, such as `films`.
    ///   - body: Writes, and gives how many entries that were.
    func export(
        _ kind: String, to target: String, _ output: FormatOptions,
        _ body: (_ write: ([UInt8]) throws -> Void) throws -> Int
    ) throws {
        let count = try file(FilePath(target), body)
        try tell(count, kind, target, output)
    }

    /// Writes one file of several.
    func file<Result>(
        _ path: FilePath, _ body: (_ write: ([UInt8]) throws -> Void) throws -> Result
    ) throws -> Result {
        var file = try NewFile(path)
        let result = try body { bytes in try file.write(bytes) }
        try file.finish()
        return result
    }

    /// What was exported.
    func tell(_ count: Int, _ kind: String, _ target: String, _ output: FormatOptions) throws {
        guard output.format == .text else {
            return try Output.json(Result(exported: count, target: target, isPlaintext: plaintext))
        }
        Output.line("exported \(count) \(kind) to \(target)")
        if plaintext { Output.line("\(target) is NOT encrypted: destroy it when it has served") }
    }
}
