import ArgumentParser
import Lockstep

/// How exported data is protected from others.
struct ExportProtection: ParsableArguments {
    @Option(
        name: .customLong("recipient"), parsing: .singleValue,
        help: ArgumentHelp(
            "Seal the export in age's format, so that only this recipient can open it.",
            discussion: """
                A recipient as `lockstep keys export-recipient` and `age-keygen` print it. Can be repeated. `lockstep \
                import … --identity FILE` and other programs that support the format can read the export.
                """, valueName: "age1…"))
    var recipients: [String] = []

    @Flag(help: "Write plaintext, which anyone who gets the file can read.")
    var plaintext = false

    func validate() throws {
        guard plaintext == recipients.isEmpty else {
            throw ValidationError(
                plaintext
                    ? "plaintext has no recipient: leave out --plaintext or --recipient"
                    : "seal the export with --recipient, or write it unencrypted with --plaintext"
            )
        }
    }

    /// The recipients of the export; empty for plaintext.
    func keys() throws -> [Recipient] { try recipients.map { try Recipient($0) } }

    /// Reports what was exported.
    /// - Parameter kind: The entries, such as `films`.
    func show(_ count: Int, _ kind: String, _ target: String, _ output: FormatOptions) throws {
        guard output.format == .text else {
            return try Output.json(["exported": count, "target": target, "isPlaintext": plaintext] as JSONObject)
        }
        Output.line("exported \(Output.amount(count, of: kind)) to \(target)")
        if plaintext { Output.line("\(target) is NOT encrypted: destroy it after use") }
    }
}
