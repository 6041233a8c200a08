internal import Lockstep

/// A sealed column of a server's table, whose cells one connection can make and open.
final class ServerColumn {
    let column: SealedColumn
    let table: ServerTable
    let keys: FieldKeys
    private let cipher: ColumnCipher
    private let hashers: [BlindIndexHasher]

    init(
        _ column: SealedColumn, _ table: ServerTable, _ keys: FieldKeys, _ tools: SealingTools
    ) throws(LockstepError) {
        (self.column, self.table, self.keys) = (column, table, keys)
        cipher = try ColumnCipher(of: column, keys, tools)
        var hashers: [BlindIndexHasher] = []
        for index in column.indexes { hashers.append(try BlindIndexHasher(index.index, keys)) }
        self.hashers = hashers
    }

    /// What the cells of a row are bound to.
    /// - Parameter key: The values of the row's primary key, in the key's order.
    /// - Throws: `LockstepError.Code.misuse` for a key that is not of the table's types.
    func binding(_ key: [Value]) throws(LockstepError) -> CellBinding {
        guard column.mode.bindsToRow else { return .column }
        let parts = table.shape.key.columns
        guard key.count == parts.count, !parts.isEmpty else {
            throw wrongKey("its primary key has \(parts.count) columns, not \(key.count)")
        }
        if case .row = table.shape.key, case .integer(let number) = key[0] {
            return .row(number)
        }
        var values: [CellBinding.KeyValue] = []
        for (index, value) in key.enumerated() {
            switch value {
            case .integer(let number): values.append(.integer(number))
            case .text(let text): values.append(.text(text))
            case .blob(let bytes): values.append(.blob(bytes))
            case .null, .real:
                throw wrongKey("\(parts[index].name) has a value that no primary key has")
            }
        }
        return .key(values)
    }

    private func wrongKey(_ why: String) -> LockstepError {
        LockstepError(.misuse, "\(column.title): \(why)", context: column.context)
    }

    /// - Throws: `LockstepError.Code.misuse` for a column that is being sealed or unsealed elsewhere.
    func seal(_ value: Value, _ key: [Value]) throws(LockstepError) -> [UInt8] {
        try cipher.seal(value, at: binding(key))
    }

    /// - Throws: `LockstepError.Code.cellMalformed`, `LockstepError.Code.cellForged`,
    ///   `LockstepError.Code.keyUnavailable`.
    func open(_ cell: [UInt8], _ key: [Value]) throws(LockstepError) -> Value {
        try cipher.open(cell.span, at: binding(key))
    }

    /// The tokens of a value with the columns that hold them; NULL for no entry.
    func tokens(_ value: Value) throws(LockstepError) -> [(name: String, token: Value)] {
        var tokens: [(name: String, token: Value)] = []
        for (index, hasher) in zip(column.indexes, hashers) {
            tokens.append((index.name, try hasher.token([value]) ?? .null))
        }
        return tokens
    }

    /// The token of a value under the index of this number; NULL for no entry.
    func token(_ value: Value, under number: Int) throws(LockstepError) -> Value {
        try hashers[number].token([value]) ?? .null
    }

    /// The index that leaves the fewest rows to open for a value, and the value's token under it.
    func lookup(
        _ value: Value, under normaliser: Normaliser?
    ) throws(LockstepError) -> (index: SealedIndex, token: Value)? {
        for place in order {
            let index = column.indexes[place]
            if let normaliser {
                guard index.normaliser == normaliser else { continue }
                guard let token = try hashers[place].token([value]) else { continue }
                return (index, token)
            }
            // Its rule does not accept values of this type.
            guard let message = try? index.index.message([value]) else { continue }
            return (index, try hashers[place].token(of: message))
        }
        return nil
    }

    /// The places of the indexes, from those that leave the fewest rows to open.
    private lazy var order = column.indexes.indices.sorted {
        rank(column.indexes[$0]) > rank(column.indexes[$1])
    }

    private func rank(_ index: SealedIndex) -> Int {
        (index.normaliser == .exact ? 1000 : 0) + index.index.bits
    }
}
