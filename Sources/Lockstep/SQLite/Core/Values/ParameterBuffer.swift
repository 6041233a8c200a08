/// A buffer for the strings and blobs bound to a statement, so that SQLite does not copy each into memory of its
/// own.
///
/// Stored values stay in place until ``clear()``. Values that do not fit are refused, and SQLite copies those.
@safe
final class ParameterBuffer {
    // Sixteen texts of 256 bytes; a row's small columns fit, and a cached statement stays small.
    private static let capacity = 4096

    private let start: UnsafeMutableRawPointer
    private var used = 0

    init() {
        unsafe start = UnsafeMutableRawPointer.allocate(byteCount: Self.capacity, alignment: 16)
    }

    deinit { unsafe start.deallocate() }

    /// Forgets the stored values. No parameter can still be bound to them when the buffer is next filled and
    /// the statement runs.
    func clear() { used = 0 }

    /// Stores a copy of the bytes until ``clear()``; nil if it does not fit.
    func store(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer? {
        guard bytes.count <= Self.capacity - used else { return nil }
        let place = unsafe start + used
        if let source = bytes.baseAddress {
            unsafe place.copyMemory(from: source, byteCount: bytes.count)
        }
        used += bytes.count
        return UnsafeRawPointer(place)
    }
}
