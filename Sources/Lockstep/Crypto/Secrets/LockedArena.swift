internal import CCrypto
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Memory for allocations of libraries that contain keys: locked against swap, excluded from core dumps on Linux, and
/// wiped when freed.
///
/// OpenSSL's secure heap (``SecureHeap``) is for Lockstep's own secrets. It has a fixed size, and a secret that does
/// not fit is an error. Allocations of libcrypto and SQLCipher must not fill it: they need many small blocks per
/// second, and SQLCipher unlocks the memory page around everything that it frees. So they have separate memory: a range
/// of addresses that is reserved once and made usable in slabs of 16 KiB, each for blocks of one size. All threads can
/// use it.
///
/// When the process reaches its limit of locked memory, further slabs are not locked; they stay excluded from core
/// dumps.
@safe
struct LockedArena: ~Copyable {
    /// Bytes that become usable at once, for blocks of one size.
    static let slabLength = 16_384
    /// The sizes of blocks are the powers of two from 2^5 to 2^12.
    private static let smallest = 5
    private static let largest = 12
    /// The size of the largest block, in bytes; larger allocations are made elsewhere.
    static let largestBlock = 1 << largest

    private let start: UInt
    private let length: UInt
    /// The block size of each slab, as a power of two. It is written before the slab's first block is allocated and
    /// then does not change.
    private let sizes: UnsafeMutablePointer<UInt8>
    private let state: Mutex<State>

    private struct State {
        /// The first free block of each size, which begins with the address of the next one; 0 if there is none.
        var free = InlineArray<8, UInt>(repeating: 0)
        /// The never used part of the newest slab of each size.
        var unused = InlineArray<8, Range<UInt>>(repeating: 0..<0)
        /// The first and the last slab stay inaccessible as guards.
        var slabCount = 1
        var isLocked = true
    }

    /// Reserves addresses for `slabs` slabs; nil if the system has none or cannot exclude them from core dumps.
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

    /// Whether all allocated memory is locked.
    var isLocked: Bool { state.withLock { $0.isLocked } }

    /// Whether a block is in this arena.
    @inline(__always)
    func owns(_ block: UnsafeRawPointer) -> Bool { UInt(bitPattern: block) &- start < length }

    /// The size of a block in this arena in bytes: at least the requested size.
    func size(of block: UnsafeRawPointer) -> Int { unsafe 1 << sizeClass(of: block) }

    /// Zeroed memory for `count` bytes; nil for more than ``largestBlock``, for 0 bytes, and if no addresses are left.
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

    /// Wipes and frees a block of this arena.
    func free(_ block: UnsafeMutableRawPointer) {
        let size = unsafe sizeClass(of: block)
        unsafe OPENSSL_cleanse(block, 1 << size)
        let address = UInt(bitPattern: block)
        state.withLock { state in
            unsafe Self.link(address).pointee = state.free[size - Self.smallest]
            state.free[size - Self.smallest] = address
        }
    }

    /// Locks the memory of a block again, in case other code has unlocked it.
    func lockAgain(_ block: UnsafeMutableRawPointer) {
        let slab = unsafe start + UInt(slab(of: block) * Self.slabLength)
        if !lock(slab) { state.withLock { $0.isLocked = false } }
    }

    private func addSlab(_ size: Int, _ state: inout State) {
        let slab = start + UInt(state.slabCount * Self.slabLength)
        let end = slab + UInt(Self.slabLength)
        guard end < start + length,
            unsafe mprotect(UnsafeMutableRawPointer(bitPattern: slab), Self.slabLength, PROT_READ | PROT_WRITE) == 0
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

    /// The place in a free block that contains the address of the next one.
    private static func link(_ block: UInt) -> UnsafeMutablePointer<UInt> {
        // Blocks have at least 32 bytes and are aligned to their size.
        unsafe UnsafeMutablePointer(bitPattern: block).unsafelyUnwrapped
    }
}
