internal import CCrypto

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The memory of libcrypto contexts that contain Lockstep's keys: key schedules and HMAC states.
///
/// libcrypto allocates its contexts itself. The only way to influence this is to replace the allocation functions of
/// the process's libcrypto (`CRYPTO_set_mem_functions`) before it has allocated anything. Lockstep does this when it
/// first uses libcrypto. The new functions call those of the C library, except that allocations on a thread inside
/// ``within(_:)`` come from a ``LockedArena``. For other users of libcrypto in the process, an allocation takes two
/// nanoseconds longer and nothing else changes.
///
/// If other code has used libcrypto earlier, libcrypto refuses, and contexts are in ordinary memory: ``isInstalled`` is
/// false, and ``KeyMemory`` reports it. Other code must not replace the functions later, because its functions would
/// free memory of the arena; libcrypto's manual allows replacing them only at process start.
enum ContextMemory {
    /// Whether contexts are in locked memory. All code reads this before it calls libcrypto.
    static let isInstalled: Bool = install()

    /// Whether all contexts so far are locked.
    static var isLocked: Bool {
        guard isInstalled, let arena = unsafe arena else { return false }
        return unsafe arena.pointee.isLocked
    }

    /// Runs libcrypto calls that allocate or copy contexts with keys.
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

    /// Address space for a few thousand connections; memory is used only as needed.
    private static let slabs = 4096

    // Both are assigned once, before libcrypto gets the functions below, and only read afterwards. If they were
    // accessed through a function, each read would be checked at run time, which takes longer than an allocation.
    nonisolated(unsafe) private static var arena: UnsafeMutablePointer<LockedArena>?
    /// Not null while a thread is inside ``within(_:)``.
    nonisolated(unsafe) private static var thread: pthread_key_t = 0

    private static func install() -> Bool {
        var key: pthread_key_t = 0
        guard unsafe pthread_key_create(&key, nil) == 0, let reserved = LockedArena(slabs: slabs) else { return false }
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
        // A block in locked memory stays there when it grows.
        guard let longer = unsafe arena.pointee.allocate(count) ?? malloc(count) else { return nil }
        unsafe longer.copyMemory(from: block, byteCount: size)
        unsafe arena.pointee.free(block)
        return unsafe longer
    }
}
