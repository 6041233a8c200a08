/// How well the copies of keys in this process's memory are protected.
///
/// Where each of them lies is told in <doc:SecretsInMemory>. Ask after a database was opened: what has not been
/// allocated yet has not been locked yet either.
public enum KeyMemory {
    /// What is less than it should be.
    public enum Gap: Sendable, Hashable, CaseIterable {
        /// The system lets the process lock too little memory, so that some secrets may reach swap. They stay out of
        /// core dumps.
        case notLocked
        /// Something else in the process has used libcrypto before Lockstep, so that its contexts, which hold
        /// the keys of columns, indexes and pages, lie in ordinary memory: in swap, and in core dumps.
        case contextsInOrdinaryMemory
        /// Something else in the process has begun SQLite before Lockstep, so that the keys of open databases lie in
        /// ordinary memory: in core dumps, and once one of several databases was closed perhaps in swap.
        case databaseKeysInOrdinaryMemory
    }

    /// What is less than it should be in this process, as far as it shows by now.
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

    /// Takes charge of how libcrypto and SQLite allocate. Opening a database or a keyring does the same; a program that
    /// uses either library by itself calls this first.
    /// - Returns: What is less than it should be, which is nothing where all went well.
    @discardableResult
    public static func prepare() -> Set<Gap> { gaps }
}
