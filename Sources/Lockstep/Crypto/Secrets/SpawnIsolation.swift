#if canImport(Glibc)
internal import CCrypto
internal import Glibc

/// Isolates a started program from this process. On other systems, `posix_spawn` itself can do this.
enum SpawnIsolation {
    /// Makes the program start in the folder `/` with only the descriptors 0, 1 and 2. Other descriptors, such as
    /// one with a passphrase that the caller opened for this process, may not be marked as close-on-exec.
    /// - Returns: An error number, or 0.
    static func apply(to actions: inout posix_spawn_file_actions_t) -> Int32 {
        unsafe lockstep_spawn_apart(&actions)
    }
}
#endif
