/// The name of an age plugin (C2SP, age-plugin.md). It is part of recipients, `age1NAME1…`, identities,
/// `AGE-PLUGIN-NAME-1…`, and the program, `age-plugin-NAME`.
public struct PluginName: Sendable, Hashable, CustomStringConvertible {
    /// The rule for names, for messages.
    static let rule = "1 to 64 of a-z, 0-9, +, -, . and _, not beginning with a dot"
    private static let longest = 64

    /// The name in lower case.
    public let description: String

    /// Reads a name.
    /// - Throws: ``LockstepError/Code/misuse`` unless it is 1 to 64 of `a-z`, `0-9`, `+`, `-`, `.` and `_`, and
    ///   does not begin with a dot.
    public init(_ text: String) throws(LockstepError) {
        guard let name = PluginName(exactly: text) else {
            throw LockstepError(
                .misuse, "not a valid plugin name: expected \(Self.rule)",
                hint: "give the NAME part of the program age-plugin-NAME, in lower case")
        }
        self = name
    }

    /// C2SP also allows upper case and a leading dot. Here each name has one spelling.
    init?(exactly text: some StringProtocol) {
        guard (1...Self.longest).contains(text.utf8.count), text.utf8.first != UInt8(ascii: "."),
            text.utf8.allSatisfy(Self.isAllowed)
        else { return nil }
        description = String(text)
    }

    /// The file name of the program.
    var program: String { "age-plugin-\(self)" }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
