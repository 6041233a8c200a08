internal import Synchronization

/// The properties that values of a record type encode, in their order.
///
/// Nearly always all values of a type encode the same ones. An `encode(to:)` of its own can leave some out or change
/// their order; each way to do so is a shape of its own, with statements of its own.
final class RecordShape: Sendable {
    let type: any Record.Type
    let table: String
    let names: [String]
    let key: [String]
    /// Whether these are all stored properties. If not, a row can have columns that only decoding reads.
    let isWhole: Bool

    private init<R: Record>(_ type: R.Type, _ names: [String]) throws(LockstepError) {
        (self.type, self.names) = (type, names)
        (table, key) = (type.table, type.primaryKey)
        let properties = RecordProperties.of(type).all
        isWhole =
            !properties.isEmpty && properties.allSatisfy { $0.column.map { names.containsBytes(of: $0) } ?? false }
        guard !names.isEmpty, Set(names.map { ExactText($0) }).count == names.count else {
            throw LockstepError(
                .bindMismatch,
                names.isEmpty
                    ? "\(type) encodes no property" : "\(type) encodes a property twice",
                context: .init(table: table))
        }
    }

    /// More shapes of a type are not kept.
    private static let most = 32
    private static let known = Mutex<[ObjectIdentifier: [RecordShape]]>([:])

    /// The shape that values of the record's type have.
    static func usual<R: Record>(of record: R) throws -> RecordShape {
        if let shape = known.withLock({ $0[ObjectIdentifier(R.self)]?.first }) { return shape }
        return try of(R.self, try RowSink.collect(record).names)
    }

    /// The shape with properties of these names.
    static func of<R: Record>(_ type: R.Type, _ names: [String]) throws -> RecordShape {
        let id = ObjectIdentifier(type)
        if let shape = known.withLock({ $0[id]?.first { $0.names.hasSameBytes(as: names) } }) {
            return shape
        }
        let shape = try RecordShape(type, names)
        known.withLock { known in
            if known[id, default: []].count < most { known[id, default: []].append(shape) }
        }
        return shape
    }
}
