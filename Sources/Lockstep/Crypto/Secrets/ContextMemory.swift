internal import CCrypto

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Where libcrypto keeps the contexts that hold keys of ours: key schedules and the states of an HMAC.
///
/// libcrypto allocates them itself and gives its caller no say, except for one: the functions by which the whole
/// process's libcrypto allocates can be replaced (`CRYPTO_set_mem_functions`), before it has allocated anything. So
/// they are, with the first use of libcrypto through Lockstep. They are the ones of the C library, except for what is
/// allocated on a thread while ``within(_:)`` runs there, which lies in a ``LockedArena``. Whatever else in the process
/// uses libcrypto gets what it got before, two nanoseconds an allocation later.
///
/// Where somebody else has used libcrypto earlier, it refuses, and contexts lie in ordinary memory: ``isInstalled``
/// is false, and ``KeyMemory`` reports it. Nobody else may replace the functions afterwards, or they would free what
/// lies in the arena; libcrypto's manual allows it at a process's start alone.
enum ContextMemory {
    /// Whether contexts are kept in locked memory. Whatever calls libcrypto asks for it first.
    static let isInstalled: Bool = install()

    /// Whether all contexts so far could be locked.
    static var isLocked: Bool {
        guard isInstalled, let arena = unsafe arena else { return false }
        return unsafe arena.pointee.isLocked
    }

    /// Runs calls of libcrypto that allocate contexts with keys, or copy them.
    @inline(__always)
    static func within<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard isInstalled else { return try body() }
        let before = unsafe pthread_getspecific(thread)
        unsafe pthread_setspecific(thread, UnsafeRawPointer(bitPattern: 1))
        defer { unsafe pthread_setspecific(thread, before) }
        return try body()
    }

    /// Address space for a few thousand connections; memory is used as it is needed.
    private static let slabs = 4096

    // Both are assigned once, before libcrypto gets the functions below, and only read from then on. Lent to a
    // function instead, each reading would be checked while the program runs, which takes longer than an allocation.
    nonisolated(unsafe) private static var arena: UnsafeMutablePointer<LockedArena>?
    /// Not null while a thread is inside of ``within(_:)``.
    nonisolated(unsafe) private static var thread: pthread_key_t = 0

    private static func install() -> Bool {
        var key: pthread_key_t = 0
        guard unsafe pthread_key_create(&key, nil) == 0, let reserved = LockedArena(slabs: slabs)
        else { return false }
        unsafe thread = key
        let place = UnsafeMutablePointer<LockedArena>.allocate(capacity: 1)
        unsafe place.initialize(to: reserved)
        unsafe arena = unsafe place
        guard unsafe CRYPTO_set_mem_functions(allocate, reallocate, release) == 1 else {
            unsafe arena = nil
            unsafe place.deinitialize(count: 1)
            unsafe place.deallocate()
            return false
        }
        return true
    }

    private static let allocate: CRYPTO_malloc_fn = { count, _, _ in
        guard count > 0 else { return nil }
        if unsafe pthread_getspecific(thread) != nil, let arena = unsafe arena,
            let block = unsafe arena.pointee.allocate(count)
        {
            return unsafe block
        }
        return unsafe malloc(count)
    }

    private static let release: CRYPTO_free_fn = { block, _, _ in
        guard let block = unsafe block else { return }
        if let arena = unsafe arena, unsafe arena.pointee.owns(block) {
            unsafe arena.pointee.free(block)
        } else {
            unsafe free(block)
        }
    }

    private static let reallocate: CRYPTO_realloc_fn = { block, count, file, line in
        guard let block = unsafe block else { return unsafe allocate(count, file, line) }
        guard count > 0 else {
            unsafe release(block, file, line)
            return nil
        }
        guard let arena = unsafe arena, unsafe arena.pointee.owns(block) else {
            return unsafe realloc(block, count)
        }
        let size = unsafe arena.pointee.size(of: block)
        guard count > size else { return unsafe block }
        // What has begun in locked memory stays there when it is made longer.
        guard let longer = unsafe arena.pointee.allocate(count) ?? malloc(count) else { return nil }
        unsafe longer.copyMemory(from: block, byteCount: size)
        unsafe arena.pointee.free(block)
        return unsafe longer
    }
}
