internal import CCrypto
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Memory for what libraries allocate and keep keys in: locked against swap, left out of core dumps on Linux, wiped
/// when it is freed.
///
/// OpenSSL's secure heap (``SecureHeap``) is for our own secrets. It has a fixed size, and a secret that finds it full
/// is an error. What libcrypto and SQLCipher allocate may not crowd it out, needs many small blocks a second, and
/// SQLCipher unlocks the memory page around everything that it frees. So this is memory of its own: a range of
/// addresses that is reserved once, and made usable in pieces of 16 KiB, each for blocks of one size. All threads
/// may use it.
///
/// Where the process may lock no more, further pieces are not locked; they stay out of core dumps.
@safe
struct LockedArena: ~Copyable {
    /// Bytes that become usable at once, for blocks of one size.
    static let slabLength = 16_384
    /// The sizes of blocks are the powers of two from 2^5 to 2^12.
    private static let smallest = 5
    private static let largest = 12
    /// The most that a block holds, in bytes; what is larger lies elsewhere.
    static let largestBlock = 1 << largest

    private let start: UInt
    private let length: UInt
    /// The size of the blocks of each slab, as a power of two. It is written before a slab's first block is given
    /// out, and then stays.
    private let sizes: UnsafeMutablePointer<UInt8>
    private let state: Mutex<State>

    private struct State {
        /// For each size the first free block, which begins with the address of the next one; 0 for none.
        var free = InlineArray<8, UInt>(repeating: 0)
        /// For each size the part of its newest slab that was never used.
        var unused = InlineArray<8, Range<UInt>>(repeating: 0..<0)
        /// The first and the last slab stay without access, as guards.
        var slabCount = 1
        var isLocked = true
    }

    /// Reserves addresses for `slabs` slabs; nil where the system gives none, or cannot keep them out of dumps.
    init?(slabs: Int) {
        let count = max(slabs, 1) + 2
        let length = count * Self.slabLength
        let range = unsafe mmap(nil, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let range = unsafe range, unsafe range != MAP_FAILED else { return nil }
        #if os(Linux)
            guard unsafe madvise(range, length, MADV_DONTDUMP) == 0 else {
                unsafe munmap(range, length)
                return nil
            }
        #endif
        unsafe sizes = .allocate(capacity: count)
        unsafe sizes.initialize(repeating: 0, count: count)
        start = UInt(bitPattern: range)
        self.length = UInt(length)
        state = Mutex(State())
    }

    deinit {
        unsafe sizes.deallocate()
        unsafe munmap(UnsafeMutableRawPointer(bitPattern: start), Int(length))
    }

    /// Whether all that was given out is locked.
    var isLocked: Bool { state.withLock { $0.isLocked } }

    /// Whether a block lies here.
    @inline(__always)
    func owns(_ block: UnsafeRawPointer) -> Bool { UInt(bitPattern: block) &- start < length }

    /// How many bytes a block that lies here has: at least as many as were asked for.
    func size(of block: UnsafeRawPointer) -> Int { unsafe 1 << sizeClass(of: block) }

    /// Zeroed memory for `count` bytes; nil for more than ``largestBlock``, for none, and where no address is left.
    func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
        guard count > 0, count <= Self.largestBlock else { return nil }
        let size = max(Self.smallest, Int.bitWidth - (count - 1).leadingZeroBitCount)
        let kind = size - Self.smallest
        let address: UInt? = state.withLock { state in
            let first = state.free[kind]
            if first != 0 {
                let link = unsafe Self.link(first)
                state.free[kind] = unsafe link.pointee
                unsafe link.pointee = 0
                return first
            }
            if state.unused[kind].isEmpty { addSlab(size, &state) }
            let unused = state.unused[kind]
            guard !unused.isEmpty else { return nil }
            state.unused[kind] = (unused.lowerBound + (1 << size))..<unused.upperBound
            return unused.lowerBound
        }
        return unsafe address.flatMap { unsafe UnsafeMutableRawPointer(bitPattern: $0) }
    }

    /// Wipes a block that lies here and makes it free.
    func free(_ block: UnsafeMutableRawPointer) {
        let size = unsafe sizeClass(of: block)
        unsafe OPENSSL_cleanse(block, 1 << size)
        let address = UInt(bitPattern: block)
        state.withLock { state in
            unsafe Self.link(address).pointee = state.free[size - Self.smallest]
            state.free[size - Self.smallest] = address
        }
    }

    /// Locks the memory of a block again, which somebody else may have unlocked.
    func lockAgain(_ block: UnsafeMutableRawPointer) {
        let slab = unsafe start + UInt(slab(of: block) * Self.slabLength)
        if !lock(slab) { state.withLock { $0.isLocked = false } }
    }

    private func addSlab(_ size: Int, _ state: inout State) {
        let slab = start + UInt(state.slabCount * Self.slabLength)
        let end = slab + UInt(Self.slabLength)
        guard end < start + length,
            unsafe mprotect(
                UnsafeMutableRawPointer(bitPattern: slab), Self.slabLength, PROT_READ | PROT_WRITE)
                == 0
        else { return }
        unsafe sizes[state.slabCount] = UInt8(size)
        state.slabCount += 1
        if !lock(slab) { state.isLocked = false }
        state.unused[size - Self.smallest] = slab..<end
    }

    private func lock(_ slab: UInt) -> Bool {
        unsafe mlock(UnsafeMutableRawPointer(bitPattern: slab), Self.slabLength) == 0
    }

    private func slab(of block: UnsafeRawPointer) -> Int {
        Int(UInt(bitPattern: block) - start) / Self.slabLength
    }

    private func sizeClass(of block: UnsafeRawPointer) -> Int { unsafe Int(sizes[slab(of: block)]) }

    /// Where a free block has the address of the next one.
    private static func link(_ block: UInt) -> UnsafeMutablePointer<UInt> {
        // Blocks are at least 32 bytes, and aligned to their size.
        unsafe UnsafeMutablePointer(bitPattern: block).unsafelyUnwrapped
    }
}
