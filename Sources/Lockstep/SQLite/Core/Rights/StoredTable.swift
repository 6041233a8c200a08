/// One of the engine's own tables, as every engine keeps it: the same columns, from which each writes its SQL.
package struct StoredTable: Sendable {
    package enum Kind: Sendable {
        case integer, text, bytes
        /// A number in a file, a boolean on a server.
        case flag
        case anything
    }

    package struct Column: Sendable {
        package let name: String
        package let kind: Kind
        package let isOptional: Bool
        /// Whether a former format lacks it.
        let isLater: Bool

        package init(_ name: String, _ kind: Kind, optional isOptional: Bool = false, later isLater: Bool = false) {
            (self.name, self.kind, self.isOptional, self.isLater) = (name, kind, isOptional || isLater, isLater)
        }
    }

    package let name: String
    package let columns: [Column]
    /// The columns of its primary key.
    package let key: [String]
    /// Further columns that are together unique.
    package let unique: [String]
    /// The columns by which its rows are read.
    package let order: [String]
    /// Whether a file keeps it without rowids.
    let isWithoutRowID: Bool
    /// The error for a table with what Lockstep has not written, such as "an invalid version".
    package let invalid: @Sendable (_ what: String) -> LockstepError

    package init(
        _ name: String, _ columns: [Column], key: [String], unique: [String] = [], order: [String]? = nil,
        isWithoutRowID: Bool = false, invalid: @escaping @Sendable (_ what: String) -> LockstepError
    ) {
        (self.name, self.columns, self.key, self.unique) = (name, columns, key, unique)
        (self.order, self.isWithoutRowID, self.invalid) = (order ?? key, isWithoutRowID, invalid)
    }

    /// The names of columns, quoted.
    package static func list(_ names: [String]) -> String { names.map(SQLTokens.quote).joined(separator: ", ") }

    /// The columns of a row that have a value, and the values: a table of a former format lacks others.
    package func filled(_ values: [Value]) -> (names: [String], values: [Value]) {
        let filled = zip(columns, values).filter { $1 != .null }
        return (filled.map(\.0.name), filled.map(\.1))
    }

    /// The key and what is unique besides, as constraints of a CREATE TABLE.
    package var constraints: [String] {
        ["PRIMARY KEY (\(Self.list(key)))"] + (unique.isEmpty ? [] : ["UNIQUE (\(Self.list(unique)))"])
    }
}

/// A row of a ``StoredTable``, which somebody else can have written.
package struct StoredRow {
    package let table: StoredTable
    private let values: [Value]

    /// - Parameter values: Those of all columns, in the table's order.
    package init(_ table: StoredTable, _ values: [Value]) { (self.table, self.values) = (table, values) }

    /// The value of a column, from 0.
    /// - Throws: ``LockstepError/Code/tampered`` for a value of another type.
    package subscript<Output: EngineValue>(_ column: Int) -> Output {
        get throws(LockstepError) {
            guard let value = Output(stored: values[column]) else { throw table.invalid("a value of the wrong type") }
            return value
        }
    }
}

/// A type of the values in a ``StoredTable``.
package protocol EngineValue {
    /// Nil for a value of another type.
    init?(stored value: Value)
}

extension Int64: EngineValue {
    package init?(stored value: Value) {
        guard case .integer(let number) = value else { return nil }
        self = number
    }
}
extension Int: EngineValue {
    package init?(stored value: Value) {
        guard case .integer(let number) = value else { return nil }
        self.init(exactly: number)
    }
}
extension Bool: EngineValue {
    package init?(stored value: Value) {
        guard case .integer(let number) = value else { return nil }
        self = number != 0
    }
}
extension String: EngineValue {
    package init?(stored value: Value) {
        guard case .text(let text) = value else { return nil }
        self = text
    }
}
extension [UInt8]: EngineValue {
    package init?(stored value: Value) {
        guard case .blob(let bytes) = value else { return nil }
        self = bytes
    }
}
extension Value: EngineValue {
    package init?(stored value: Value) { self = value }
}
extension Optional: EngineValue where Wrapped: EngineValue {
    package init?(stored value: Value) {
        // A value of another type is no value of this one; NULL is the value nil.
        guard value != .null else {
            self = .none
            return
        }
        guard let wrapped = Wrapped(stored: value) else { return nil }
        self = .some(wrapped)
    }
}

/// What keeps ``StoredTable``s: a file, or a schema of a server. Its statements name columns and values alone.
package protocol TableStore: ~Copyable {
    /// - Throws: ``LockstepError/Code/tampered`` for something that is no table.
    func has(_ table: StoredTable) throws -> Bool

    /// The rows in the table's order, of those with this value in the first column if there is one; nil without the
    /// table. A column that a former format does not have is NULL.
    func rows(of table: StoredTable, with first: Value?) throws -> [StoredRow]?

    /// Makes the table, or the columns that it lacks.
    func make(_ table: StoredTable) throws

    func insert(_ values: [Value], into table: StoredTable) throws

    /// Deletes the rows with all of these values.
    /// - Returns: Their number.
    @discardableResult
    func delete(from table: StoredTable, where values: [(column: String, value: Value)]) throws -> Int
}
