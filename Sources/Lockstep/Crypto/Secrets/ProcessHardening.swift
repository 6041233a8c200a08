internal import CCrypto

/// What a program that handles keys should ask of the operating system, once, at its start.
public enum ProcessHardening {
    /// Forbids core dumps and, on Linux, that another process of the user reads this one's memory.
    ///
    /// The price: no core file after a crash, and no debugger attached later. The `lockstep` tool calls
    /// it first thing; a library cannot decide it for its program. Keys are left out of core dumps without it, and
    /// plaintext is not: see <doc:SecretsInMemory>.
    /// - Returns: Whether every request was granted.
    @discardableResult
    public static func apply() -> Bool { lockstep_forbid_dumps() == 0 }
}
