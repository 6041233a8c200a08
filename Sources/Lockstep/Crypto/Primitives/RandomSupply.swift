internal import CCrypto

/// Random bytes from OpenSSL's public generator, fetched for many pages at once: the generator's start-up
/// costs 700 ns a call, however few bytes it is asked for.
///
/// For bytes that end up in a file in the clear, such as initialisation vectors and salts, and never for
/// keys: until they are handed out they lie in ordinary memory. One value serves one thread at a time.
@safe
struct RandomSupply: ~Copyable {
    /// Sixteen times the 80 bytes that SQLCipher 4 asks for with every page it writes.
    static let capacity = 1280

    private let bytes: UnsafeMutablePointer<UInt8>
    /// How many bytes are left; they are the first ones.
    private var count = 0
    /// In which process they were fetched. After fork(), two would otherwise hand out the same ones.
    private var process: UInt64 = 0
    /// Where they come from; another source only in a test.
    private let source: Source

    /// Fills memory with random bytes and answers 1, or anything else if it could not.
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

    /// Fills `output` with `wanted` bytes that nobody was given before.
    /// - Returns: Whether all of it is random; otherwise none of it may be used.
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

    /// Throws away what is left, so that what the generator was given meanwhile counts from now on.
    mutating func discard() { count = 0 }

    private func fetch(_ output: UnsafeMutablePointer<UInt8>, _ count: Int32) -> Bool {
        _ = ContextMemory.isInstalled
        // 0 and -1 both mean that there are no random bytes.
        let filled = unsafe source(output, count) == 1
        if !filled { ERR_clear_error() }
        return filled
    }
}
