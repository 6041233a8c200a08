internal import CCrypto

/// Random bytes from OpenSSL's public generator, fetched for many pages at once: each call of the generator costs
/// 700 ns, however few bytes it returns.
///
/// Use it only for bytes that are stored unencrypted in a file, such as initialization vectors and salts, and never for
/// keys: the bytes are in ordinary memory until they are used. One value serves one thread at a time.
@safe
struct RandomSupply: ~Copyable {
    /// Sixteen times the 80 bytes that SQLCipher 4 requests for every page it writes.
    static let capacity = 1280

    private let bytes: UnsafeMutablePointer<UInt8>
    /// The number of remaining bytes, which are the first ones.
    private var count = 0
    /// The process that fetched them. After fork(), two processes would otherwise return the same bytes.
    private var process: UInt64 = 0
    /// The source of the bytes; only tests use another one.
    private let source: Source

    /// Fills memory with random bytes and returns 1, or any other value on failure.
    typealias Source = @convention(c) (UnsafeMutablePointer<UInt8>?, Int32) -> Int32

    init(from source: @escaping Source = unsafe RAND_bytes) {
        unsafe bytes = .allocate(capacity: Self.capacity)
        unsafe bytes.initialize(repeating: 0, count: Self.capacity)
        unsafe self.source = unsafe source
    }

    deinit {
        unsafe OPENSSL_cleanse(bytes, Self.capacity)
        unsafe bytes.deallocate()
    }

    /// Fills `output` with `wanted` bytes that were never returned before.
    /// - Returns: Whether all of it is random; if not, none of it must be used.
    mutating func fill(_ output: UnsafeMutablePointer<UInt8>, _ wanted: Int32) -> Bool {
        guard wanted >= 0 else { return false }
        guard wanted <= Self.capacity else { return unsafe fetch(output, wanted) }
        let process = ForkMark.current
        if count < wanted || self.process != process {
            discard()
            guard unsafe fetch(bytes, Int32(Self.capacity)) else { return false }
            count = Self.capacity
            self.process = process
        }
        count -= Int(wanted)
        unsafe output.update(from: bytes + count, count: Int(wanted))
        unsafe OPENSSL_cleanse(bytes + count, Int(wanted))
        return true
    }

    /// Discards the remaining bytes, so that later bytes include what has since been added to the generator.
    mutating func discard() { count = 0 }

    private func fetch(_ output: UnsafeMutablePointer<UInt8>, _ count: Int32) -> Bool {
        _ = ContextMemory.isInstalled
        // 0 and -1 both mean that there are no random bytes.
        let filled = unsafe source(output, count) == 1
        if !filled { ERR_clear_error() }
        return filled
    }
}
