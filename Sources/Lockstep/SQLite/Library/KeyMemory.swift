/// How well the copies of keys in this process's memory are protected.
///
/// <doc:SecretsInMemory> says where each copy is. Check after opening a database: memory is locked when it is
/// allocated.
public enum KeyMemory {
    /// A protection that is missing.
    public enum Gap: Sendable, Hashable, CaseIterable {
        /// The system lets the process lock too little memory, so some secrets can reach swap. They stay out of
        /// core dumps.
        case notLocked
        /// Other code in the process used libcrypto before Lockstep, so its contexts, which hold the keys of
        /// columns, indexes and pages, are in ordinary memory: they can reach swap and core dumps.
        case contextsInOrdinaryMemory
        /// Other code in the process started SQLite before Lockstep, so the keys of open databases are in
        /// ordinary memory: they can reach core dumps, and swap once one of several databases has been closed.
        case databaseKeysInOrdinaryMemory
    }

    /// The protections that are missing in this process, as far as is known yet.
    public static var gaps: Set<Gap> {
        var gaps: Set<Gap> = []
        if !SecretBytes.areLocked { gaps.insert(.notLocked) }
        if !ContextMemory.isInstalled {
            gaps.insert(.contextsInOrdinaryMemory)
        } else if !ContextMemory.isLocked {
            gaps.insert(.notLocked)
        }
        if !EngineMemory.isArranged {
            gaps.insert(.databaseKeysInOrdinaryMemory)
        } else if !EngineMemory.isLocked {
            gaps.insert(.notLocked)
        }
        return gaps
    }

    /// Takes over how libcrypto and SQLite allocate memory. Opening a database or a keyring does the same; a
    /// program that uses either library directly calls this first.
    /// - Returns: The missing protections; empty on success.
    @discardableResult
    public static func prepare() -> Set<Gap> { gaps }
}
