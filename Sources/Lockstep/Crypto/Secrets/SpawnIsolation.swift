#if canImport(Glibc)
    internal import CCrypto
    internal import Glibc

    /// What keeps a program that is started apart from this process. Elsewhere `posix_spawn` offers it itself.
    enum SpawnIsolation {
        /// Has the program start in the folder `/`, and with the descriptors 0, 1 and 2 alone: those that a caller
        /// opened for this process, such as one with a passphrase, are not marked to be closed.
        /// - Returns: An error number, or 0.
        static func apply(to actions: inout posix_spawn_file_actions_t) -> Int32 {
            unsafe lockstep_spawn_apart(&actions)
        }
    }
#endif
