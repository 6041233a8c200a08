/// Names of slots, datasets and migration sets, which are safe in a file name, in a line of a keyring and in a message.
enum PlainName {
    /// The rule for names, for messages.
    static let rule = "1 to 32 of the characters a-z, 0-9 and -"

    /// Whether `text` is 1 to 32 of [a-z0-9-].
    static func isValid(_ text: some StringProtocol) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                $0.isASCIILowercase || $0.isASCIIDigit || $0 == UInt8(ascii: "-")
            }
    }
}
