import ArgumentParser
import Lockstep

/// The rings that the keyrings of a command must have.
struct RingOptions: ParsableArguments {
    @Option(
        name: .customLong("ring"), parsing: .singleValue,
        help: ArgumentHelp(
            "Use no keyring but this one. (default: the variable LOCKSTEP_RING)",
            discussion: """
                As `init` and `keys list` print it: ring- and 32 digits. Can be repeated, and the variable separates several \
                with spaces: every keyring that the command opens must be one of them. Anybody who knows the recipient of an \
                identity can make a keyring that opens for it; no ring is like another.
                """, valueName: "ring"), transform: ring)
    var named: [RingID] = []

    /// The named rings, or those in the variable; empty for any.
    func rings() throws -> [RingID] {
        guard named.isEmpty else { return named }
        return try Environment.text("LOCKSTEP_RING")?.split(separator: " ").map { try Self.ring(String($0)) } ?? []
    }

    private static func ring(_ text: String) throws -> RingID {
        guard let ring = RingID(text) else {
            throw ValidationError("a ring is ring- and 32 hexadecimal digits, as `lockstep keys list` prints it")
        }
        return ring
    }
}
