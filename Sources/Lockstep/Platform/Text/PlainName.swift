/// Names of slots, datasets and migration sets, which are safe in a file name, in a line of a keyring and in a message.
enum PlainName {
    /// The rule for names, for messages.
    static let rule = "1 to 32 of the characters a-z, 0-9 and -"

    /// A plain name made of any other: letters in lower case, and one `-` for whatever else stands between them. It is
    /// empty for a name without ASCII letters and digits.
    static func derived(from text: String) -> String {
        let parts = text.asciiLowercased.utf8.split { byte in
            !byte.isASCIILowercase && !byte.isASCIIDigit
        }
        let name = parts.map { String(Substring($0)) }.joined(separator: "-")
        let short = String(name.prefix(32))
        return short.ends(with: "-") ? String(short.dropLast()) : short
    }

    /// Whether `text` is 1 to 32 of [a-z0-9-].
    static func isValid(_ text: some StringProtocol) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                $0.isASCIILowercase || $0.isASCIIDigit || $0 == UInt8(ascii: "-")
            }
    }
}
