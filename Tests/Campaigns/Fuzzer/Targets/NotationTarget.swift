@testable import Lockstep
@testable import LockstepModels

/// Short notations, one of which the input's first byte selects: a value that was read is written back unchanged.
final class NotationTarget: FuzzTarget {
    static let name = "notation"
    static let refusals: Set<LockstepError.Code> = [
        .recipientMalformed, .signatureInvalid, .misuse, .secretUnsuitable, .manifestMalformed,
    ]

    static func seeds() throws -> [String: [UInt8]] {
        let texts = [
            "c2hvcnQ", "00ff10", "films%2Etitle", "2026-11-23", "2012-08-28T20:35:00.5+08:00",
            "1.20.3",
            "prefix-3", "age1yubikey1qyqszqgpqyqszqgpqyqszqgpqyqszqgp", "key a b", "a*b?c\nabxbyc",
            try Identity(spelled: Array(FuzzKeys.identity.utf8).span).recipient.description, "FRIENDLY-yubikey",
            "sig ed25519 \(String(repeating: "A", count: 43)) "
                + "\(String(repeating: "A", count: 86))", "correct horse battery staple",
            "Straße ﬁ É",
            "Tue Aug 28 20:35:00 +0800 2012",
        ]
        var seeds: [String: [UInt8]] = [:]
        for (number, text) in texts.enumerated() {
            let choice = number == 15 ? 4 : UInt8(number)
            seeds["notation-\(number)"] = [choice] + Array(text.utf8)
        }
        return seeds
    }

    func run(_ input: [UInt8]) throws {
        var input = FuzzInput(input)
        let choice = input.byte() % 15
        let bytes = input.remainder()
        if choice == 13 { return try passphrase(bytes) }
        guard let text = String(validating: bytes, as: UTF8.self) else { return }
        switch choice {
        case 0: base64(text)
        case 1: require(same(Hex.decode(text).map { Hex.encode($0) }, text), "hexadecimal digits")
        case 2:
            require(
                same(PercentEncodedName.decode(text).map(PercentEncodedName.encode), text), "a name"
            )
        case 3: require(same(CalendarDay(text)?.description, text), "a day")
        case 4: instant(text)
        case 5: version(text)
        case 6: require(try Normaliser(text).spelling == text, "a normaliser")
        case 7:
            let recipient = try PluginRecipient(text)
            require(same(recipient.description, text), "a plugin's recipient")
        case 8: require(same(SealedRowKey(text)?.spelling, text), "a row's key")
        case 9: pattern(text)
        case 10: require(same(try Recipient(text).description, text), "a recipient")
        case 11: require(same(PluginName(exactly: text)?.program, "age-plugin-\(text)"), "a plugin")
        case 12: try signature(bytes)
        default: try folded(text)
        }
    }

    /// Whether a text that was read equals the other one byte for byte; true if none was read.
    private func same(_ written: String?, _ text: String) -> Bool {
        written.map { $0.utf8.elementsEqual(text.utf8) } ?? true
    }

    private func base64(_ text: String) {
        let bytes = Base64.decode(text)
        require(same(bytes.map { Base64.encode($0) }, text), "base64 has another spelling")
        var copy = [UInt8](repeating: 0, count: text.utf8.count)
        let spelled = Array(text.utf8)
        var output = copy.mutableSpan
        let end = Base64.decode(spelled.span, into: &output, at: 0)
        require(end == bytes?.count, "base64 is read in two ways")
        if let bytes, let end {
            require(Array(copy[..<end]) == bytes, "base64 is read in two ways")
        }
    }

    private func instant(_ text: String) {
        guard let moment = Instant.microseconds(of: text) else { return }
        let written = Instant.text(moment)
        // A year that was read has four digits.
        guard written.utf8.count == 20, written.utf8.first != UInt8(ascii: "-") else { return }
        let whole = moment - (moment % 1_000_000 + 1_000_000) % 1_000_000
        require(Instant.microseconds(of: written) == whole, "an instant is read as another one: \(written)")
    }

    private func version(_ text: String) {
        guard let version = MigrationVersion(text) else { return }
        require(MigrationVersion(version.description) == version, "a version is read as another one")
    }

    private func pattern(_ text: String) {
        let lines = text.split(separator: "\n", maxSplits: 1).map(String.init)
        guard lines.count == 2 else { return }
        _ = FilePattern.matches(lines[1], lines[0])
        require(FilePattern.matches(lines[1], "*"), "a star does not stand for a name")
    }

    private func signature(_ bytes: [UInt8]) throws {
        var text = try CanonicalText(bytes + [UInt8(ascii: "\n")], limit: 4096) { what, _ in
            LockstepError(.manifestMalformed, what)
        }
        let line = try text.take("the signature")
        let signature = try SignatureLine(line, of: text)
        require(same(signature.text, String(line)), "a signature has another spelling")
        _ = try signature.isOf(bytes)
        _ = try Publisher(signature.publisher.description)
    }

    private func passphrase(_ bytes: [UInt8]) throws {
        _ = try Passphrase(bytes.span).weakness()
    }

    private func folded(_ text: String) throws {
        let folded = FoldedText.scalars(text)
        require(folded.allSatisfy { Unicode.Scalar($0) != nil }, "folding makes what is no character")
    }
}
