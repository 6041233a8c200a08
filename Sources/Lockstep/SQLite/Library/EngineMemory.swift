internal import CSQLCipher

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Decides where SQLCipher keeps the keys of open databases.
///
/// For each database SQLCipher holds its raw key and its MAC key twice, for reading and for writing, and the
/// raw key in hex with the salt twice. It locks the memory pages around them itself, but unlocks a page as soon
/// as anything in it is freed, and the keys stay in core dumps. So before SQLite starts, this wraps its
/// allocation functions and puts allocations that are known to be for keys into a ``LockedArena``:
///
/// - 99 and 67 bytes, the lengths of a raw key in hex with and without its salt. SQLite rarely asks for as many
///   bytes for other purposes, and that does no harm.
/// - The next four allocations of 32 bytes on a thread after ``awaitKeys()``, which is called before SQLCipher
///   allocates the keys of a database.
///
/// Everything else is passed through, a nanosecond or two later. If other code in the process has already
/// started SQLite, SQLite refuses the wrappers, and SQLCipher puts its keys where it likes: ``isArranged`` is
/// then false, and ``KeyMemory`` reports it.
enum EngineMemory {
    /// Whether keys are kept in locked memory. Must be read before any call that starts SQLite.
    static let isArranged: Bool = {
        _ = CryptoThreads.areWatched
        return arrange()
    }()

    /// Whether all keys so far could be locked.
    static var isLocked: Bool {
        guard isArranged, let arena = unsafe arena else { return false }
        return unsafe arena.pointee.isLocked
    }

    /// Announces that SQLCipher is about to allocate the keys of one database on this thread.
    static func awaitKeys() {
        guard isArranged else { return }
        unsafe pthread_setspecific(awaited, UnsafeRawPointer(bitPattern: keysOfDatabase))
    }

    /// A key and a MAC key for reading, and the same for writing (`sqlcipher_cipher_ctx_init`, called twice).
    private static let keysOfDatabase = 4
    /// Bytes of each (`key_sz`).
    private static let keyLength: Int32 = 32
    /// `x'`, 64 digits, 32 more for the salt, `'` (`keyspec_sz`), and the same without a salt.
    private static let keyspecLengths: (Int32, Int32) = (99, 67)
    /// Address space for the keys of several thousand open databases.
    private static let slabs = 256

    // All are assigned once, before SQLite gets the functions below, and are only read afterwards. Exclusivity
    // checks at run time would take longer than the work itself.
    nonisolated(unsafe) private static var arena: UnsafeMutablePointer<LockedArena>?
    nonisolated(unsafe) private static var stock = unsafe sqlite3_mem_methods()
    /// The thread-specific number of coming allocations that are for keys.
    nonisolated(unsafe) private static var awaited: pthread_key_t = 0

    private static func arrange() -> Bool {
        var found = unsafe sqlite3_mem_methods()
        var key: pthread_key_t = 0
        guard unsafe lockstep_get_memory_methods(&found) == SQLITE_OK,
            unsafe pthread_key_create(&key, nil) == 0, let reserved = LockedArena(slabs: slabs)
        else { return false }
        unsafe stock = unsafe found
        unsafe awaited = key
        let place = UnsafeMutablePointer<LockedArena>.allocate(capacity: 1)
        unsafe place.initialize(to: reserved)
        unsafe arena = unsafe place
        var wrapped = unsafe found
        unsafe wrapped.xMalloc = allocate
        unsafe wrapped.xFree = release
        unsafe wrapped.xRealloc = reallocate
        unsafe wrapped.xSize = size
        unsafe wrapped.xRoundup = roundUp
        guard unsafe lockstep_set_memory_methods(&wrapped) == SQLITE_OK else {
            unsafe arena = nil
            unsafe place.deinitialize(count: 1)
            unsafe place.deallocate()
            return false
        }
        return true
    }

    private typealias Block = UnsafeMutableRawPointer

    @inline(__always)
    private static func owner(_ block: Block) -> UnsafeMutablePointer<LockedArena>? {
        guard let arena = unsafe arena, unsafe arena.pointee.owns(block) else { return nil }
        return unsafe arena
    }

    @inline(__always)
    private static func isKeyspec(_ count: Int32) -> Bool {
        count == keyspecLengths.0 || count == keyspecLengths.1
    }

    private static func isAwaitedKey() -> Bool {
        let left = unsafe Int(bitPattern: pthread_getspecific(awaited))
        guard left > 0 else { return false }
        unsafe pthread_setspecific(awaited, UnsafeRawPointer(bitPattern: left - 1))
        return true
    }

    private static let allocate: @convention(c) (Int32) -> Block? = { count in
        if isKeyspec(count) || (count == keyLength && isAwaitedKey()), let arena = unsafe arena,
            let block = unsafe arena.pointee.allocate(Int(count))
        {
            return unsafe block
        }
        return unsafe stock.xMalloc(count)
    }

    private static let release: @convention(c) (Block?) -> Void = { block in
        guard let block = unsafe block else { return }
        guard let arena = unsafe owner(block) else { return unsafe stock.xFree(block) }
        // SQLCipher wipes memory that held a key, and unlocks its whole page. Memory that begins with other
        // bytes held no key, and SQLCipher unlocked nothing for it.
        let wasKey = unsafe block.load(as: UInt64.self) == 0
        if wasKey { unsafe arena.pointee.lockAgain(block) }
        unsafe arena.pointee.free(block)
    }

    private static let reallocate: @convention(c) (Block?, Int32) -> Block? = { block, count in
        guard let block = unsafe block else { return unsafe allocate(count) }
        guard let arena = unsafe owner(block) else { return unsafe stock.xRealloc(block, count) }
        let size = unsafe arena.pointee.size(of: block)
        guard Int(count) > size else { return unsafe block }
        guard let longer = unsafe allocate(count) else { return nil }
        unsafe longer.copyMemory(from: block, byteCount: size)
        unsafe arena.pointee.free(block)
        return unsafe longer
    }

    private static let size: @convention(c) (Block?) -> Int32 = { block in
        guard let block = unsafe block else { return 0 }
        guard let arena = unsafe owner(block) else { return unsafe stock.xSize(block) }
        return unsafe Int32(arena.pointee.size(of: block))
    }

    /// SQLite rounds sizes up when it counts its memory; a rounded keyspec length would not be recognized.
    private static let roundUp: @convention(c) (Int32) -> Int32 = { count in
        isKeyspec(count) ? count : unsafe stock.xRoundup(count)
    }
}
