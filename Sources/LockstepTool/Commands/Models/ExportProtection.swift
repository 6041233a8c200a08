import ArgumentParser
import Lockstep
import LockstepModels
import SystemPackage

/// How what leaves the database is kept from others.
struct ExportProtection: ParsableArguments {
    @Option(
        name: .customLong("recipient"), parsing: .singleValue,
        help: ArgumentHelp(
            "Seal what is exported so that only this recipient can open it, in age's format.",
            discussion: """
                As `lockstep keys export-recipient` and `age-keygen` print it. May be given several times. `lockstep \
                import … --identity FILE` reads it again, and so does any program that knows the format.
                """, valueName: "age1…"))
    var recipients: [String] = []

    @Flag(help: "Write plaintext, which everybody can read who gets the file.")
    var plaintext = false

    func validate() throws {
        guard plaintext == recipients.isEmpty else {
            throw ValidationError(
                plaintext
                    ? "what is plaintext is sealed for nobody: leave out --plaintext or --recipient"
                    : "say whom the export is sealed for, with --recipient, or that it shall not be encrypted, with --plaintext"
            )
        }
    }

    /// Whom it is sealed for; nobody for plaintext.
    func keys() throws -> [Recipient] { try recipients.map { try Recipient($0) } }

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
        let keys = try keys()
        var file = try NewFile(FilePath(target))
        let count = try ExportSealing.seal(for: keys, { try file.write($0) }, body)
        try file.finish()
        try tell(count, kind, target, output)
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
