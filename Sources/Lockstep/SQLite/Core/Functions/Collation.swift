internal import CSQLCipher

/// A text order, written in Swift, that SQL can name after COLLATE.
///
/// Pass it in ``ConnectionOptions/collations``, so that every connection of a store has it. An index that uses
/// it keeps its order on disk: the same name must always mean the same order.
public struct Collation: Sendable {
    /// Below 0 if the first text comes first, above 0 if the second does, 0 if they are equal.
    public typealias Comparison = @Sendable (_ first: String, _ second: String) -> Int

    /// Its name in SQL; case does not matter.
    public let name: String
    fileprivate let compare: Comparison

    /// Creates a collation. `compare` must be a consistent order: the same result for the same strings, and
    /// transitive.
    public init(_ name: String, compare: @escaping Comparison) {
        self.name = name
        self.compare = compare
    }
}

extension Connection {
    /// Registers a collation for this connection's SQL.
    /// - Throws: ``LockstepError`` if SQLite refuses it, for instance because statements are running.
    public func add(_ collation: Collation) throws(LockstepError) {
        let context = unsafe Unmanaged.passRetained(CollationBox(collation)).toOpaque()
        let code = unsafe sqlite3_create_collation_v2(
            handle, collation.name, SQLITE_UTF8, context,
            { context, firstCount, first, secondCount, second in
                guard let context = unsafe context else { return 0 }
                let box = unsafe Unmanaged<CollationBox>.fromOpaque(context).takeUnretainedValue()
                let order = box.collation.compare(
                    unsafe CollationBox.text(first, firstCount), unsafe CollationBox.text(second, secondCount))
                return Int32(order.signum())
            },
            { context in
                unsafe context.map { unsafe Unmanaged<CollationBox>.fromOpaque($0).release() }
            })
        guard code == SQLITE_OK else {
            // On failure SQLite does not release the context.
            unsafe Unmanaged<CollationBox>.fromOpaque(context).release()
            throw core.error(code)
        }
        core.collations.insert(SQLName(collation.name))
    }
}

/// The context that SQLite keeps for a collation.
private final class CollationBox {
    let collation: Collation

    init(_ collation: Collation) { self.collation = collation }

    /// A comparison cannot fail: bytes that are not UTF-8 become U+FFFD.
    static func text(_ start: UnsafeRawPointer?, _ count: Int32) -> String {
        unsafe String(decoding: UnsafeRawBufferPointer(start: start, count: Int(count)), as: UTF8.self)
    }
}
