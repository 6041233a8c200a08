/// Room for the texts and blobs that are bound to a statement, so that SQLite need not copy each into
/// memory of its own.
///
/// What was stored stays where it is until ``clear()``. Values that do not fit are refused, and SQLite
/// copies those.
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

    /// Forgets what was stored. Nothing may be bound to it any more when it is next stored into and run.
    func clear() { used = 0 }

    /// A copy of the bytes that lasts until ``clear()``, or nil if there is no room for it.
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
