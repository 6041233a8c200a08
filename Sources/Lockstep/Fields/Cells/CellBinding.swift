/// The place that a cell is sealed to. It opens nowhere else.
public enum CellBinding: Sendable, Hashable {
    /// The column alone: the cell is valid in any row. For columns used in joins or GROUP BY.
    case column
    /// The row with this INTEGER PRIMARY KEY. Never a bare rowid, which VACUUM can change.
    case row(Int64)
    /// The row with this primary key of another type or of several columns, in the key's order; none of them NULL.
    case key([KeyValue])

    /// One column's value in a primary key.
    public enum KeyValue: Sendable, Hashable {
        /// A signed 64-bit integer.
        case integer(Int64)
        /// UTF-8 text.
        case text(String)
        /// Bytes.
        case blob([UInt8])
    }
}

/// The associated data of a column's cells: a constant prefix and the row's key.
struct AssociatedData {
    /// SQLite allows more columns in a primary key than one byte can count, but schemas do not use them.
    static let maximumKeyValues = 255

    /// Ends with an integer key, which most rows have.
    private var buffer: [UInt8]
    private let fixedLength: Int

    /// - Parameter prefix: Its binding version must be the owner's.
    init(_ prefix: CellPrefix, dataset: [UInt8], _ owner: CellOwner) {
        var fixed: [UInt8] = [owner.version.rawValue]
        fixed += prefix.bytes
        fixed += dataset
        fixed += owner.bytes
        fixedLength = fixed.count
        buffer = fixed
        // Binding, count, tag, length, and space for the integer.
        buffer += [1, 1, CellTag.integer.rawValue, 0, 0, 0, 8]
        buffer += [0, 0, 0, 0, 0, 0, 0, 0]
    }

    /// The associated data of a cell at `binding`. Release it before asking for the next one, so that the buffer is
    /// overwritten instead of copied.
    /// - Throws: ``LockstepError/Code/misuse`` for an invalid key.
    mutating func bytes(_ binding: CellBinding) throws(LockstepError) -> [UInt8] {
        switch binding {
        case .row(let number):
            let start = buffer.count - 8
            var bits = UInt64(bitPattern: number)
            for index in stride(from: 7, through: 0, by: -1) {
                buffer[start + index] = UInt8(truncatingIfNeeded: bits)
                bits >>= 8
            }
            return buffer
        case .column:
            return buffer[..<fixedLength] + [0, 0]
        case .key(let values):
            guard (1...Self.maximumKeyValues).contains(values.count) else {
                throw LockstepError(
                    .misuse, "a primary key has 1 to \(Self.maximumKeyValues) values, not \(values.count)")
            }
            var bytes = Array(buffer[..<fixedLength])
            bytes += [1, UInt8(values.count)]
            for value in values { value.append(to: &bytes) }
            return bytes
        }
    }
}

extension CellBinding.KeyValue {
    fileprivate func append(to bytes: inout [UInt8]) {
        switch self {
        case .integer(let number): append(.integer, number.bigEndianBytes, to: &bytes)
        case .text(let text): append(.text, Array(text.utf8), to: &bytes)
        case .blob(let blob): append(.blob, blob, to: &bytes)
        }
    }

    private func append(_ tag: CellTag, _ value: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(tag.rawValue)
        // SQLite's values are shorter than 2^31 bytes.
        bytes += UInt32(truncatingIfNeeded: value.count).bigEndianBytes
        bytes += value
    }
}
