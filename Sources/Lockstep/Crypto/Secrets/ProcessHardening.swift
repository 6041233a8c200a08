internal import CCrypto

/// Requests to the operating system that a program with keys should make once, at its start.
public enum ProcessHardening {
    /// Disables core dumps and, on Linux, prevents other processes of the user from reading this process's memory.
    ///
    /// As a consequence, there is no core file after a crash, and a debugger cannot be attached later. The `lockstep`
    /// tool calls it first; a library must leave the decision to its program. Without it, keys are excluded from core
    /// dumps, but plaintext is not: see <doc:SecretsInMemory>.
    /// - Returns: Whether every request was granted.
    @discardableResult
    public static func apply() -> Bool { lockstep_forbid_dumps() == 0 }
}
