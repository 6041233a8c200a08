internal import Lockstep

/// How rows of values become rows of a table with sealed columns: the values of plain columns, cells, and tokens.
struct ServerInsertion {
    /// What a column of the server gets from a row.
    private enum Source {
        /// The value itself, for a column of this type.
        case plain(UInt32?)
        case sealed(ServerColumn)
        /// The token of the value of a sealed column, under its index of this number.
        case token(ServerColumn, Int)
    }

    private struct Target {
        /// The place of the value in the row.
        let place: Int
        /// The column as the caller names it.
        let title: String
        /// Its name in statements.
        let name: String
        let source: Source
    }

    private let writing: ServerWriting
    private let targets: [Target]
    /// The places of the key's values in a row; empty if no cell needs the key, and it was not given.
    private let keyPlaces: [Int]
    /// Whether each row ends with a number of the key's sequence, which the caller did not give.
    let takesNumbers: Bool

    /// - Parameter columns: The columns that get the values of each row.
    /// - Throws: `LockstepError.Code.misuse` for a column that the table has not, or that holds tokens.
    init(_ writing: ServerWriting, _ columns: [String]) throws(LockstepError) {
        let key = writing.keyNames
        var places = key.compactMap { name in
            columns.firstIndex { SQLName($0) == SQLName(name) }
        }
        let isGiven = places.count == key.count
        takesNumbers = !isGiven && writing.bindsToRow
        var names = columns
        if takesNumbers {
            names.append(try writing.numberedKey())
            places = [columns.count]
        }
        var targets: [Target] = []
        for (place, title) in names.enumerated() {
            func add(_ name: String, _ source: Source) throws(LockstepError) {
                targets.append(
                    Target(
                        place: place, title: title, name: try writing.spelling(name),
                        source: source))
            }
            guard let column = writing.sealedColumn(title) else {
                try writing.requirePlain(title)
                try add(title, .plain(writing.table.detail(title)?.type))
                continue
            }
            try add(title, .sealed(column))
            for (number, index) in column.column.indexes.enumerated() {
                try add(index.name, .token(column, number))
            }
        }
        self.writing = writing
        self.targets = targets
        keyPlaces = isGiven || takesNumbers ? places : []
    }

    /// The values of a row's key, in the key's order.
    /// - Throws: `LockstepError.Code.typeMismatch` for one that is not of its column's type.
    func key(_ row: [Value]) throws(LockstepError) -> [Value] {
        var key: [Value] = []
        for (place, name) in zip(keyPlaces, writing.keyNames) {
            if case .integer = row[place] {
            } else {
                _ = try writing.parameter(name, row[place])
            }
            key.append(row[place])
        }
        return key
    }

    // MARK: As INSERT

    /// The text of an INSERT of one row, which returns the key that the row has got.
    var statement: String {
        let key = writing.keyNames.map { SQLTokens.quote($0) }
        return writing.insertion(
            targets.map(\.name), overriding: writing.table.details.contains(where: \.isAlwaysIdentity))
            + (key.isEmpty ? "" : " RETURNING \(key.joined(separator: ", "))")
    }

    /// The key of a row as the server has stored it.
    /// - Parameter sealed: The key that its cells are sealed to; empty if none is.
    /// - Throws: `LockstepError.Code.sqlFailed` for a row that the server left out, or stored under another key.
    func storedKey(_ result: ServerResult, _ sealed: [Value]) throws(LockstepError) -> [Value] {
        guard result.affected == 1, writing.keyNames.isEmpty || result.rowCount == 1 else { throw leftOut }
        var key: [Value] = []
        for column in writing.keyNames.indices { key.append(try result.value(0, column)) }
        guard !writing.bindsToRow || key == sealed else {
            throw LockstepError(
                .sqlFailed,
                "the server has stored a row of \(writing.table.shape.name) under another key than the one that its cells are sealed to",
                hint: "look for a trigger that changes the key of new rows",
                context: .init(table: writing.table.shape.name))
        }
        return key
    }

    /// The error for a row that is not there although the server reported no error.
    var leftOut: LockstepError {
        LockstepError(
            .sqlFailed, "the server left out a row for \(writing.table.shape.name), without an error",
            hint: "look for a trigger that returns NULL, or a rule, on the table",
            context: .init(table: writing.table.shape.name))
    }

    /// The parameters of an INSERT of a row.
    /// - Throws: `LockstepError.Code.typeMismatch` for a value that is not of its column's type.
    func parameters(
        _ row: [Value], _ key: [Value]
    ) throws(LockstepError) -> [ServerParameter] {
        var parameters: [ServerParameter] = []
        parameters.reserveCapacity(targets.count)
        for target in targets {
            let value = row[target.place]
            switch target.source {
            case .plain: parameters.append(try writing.parameter(target.title, value))
            case .sealed(let column):
                parameters.append(value == .null ? .null : .bytes(try column.seal(value, key)))
            case .token(let column, let number):
                parameters.append(try column.token(value, under: number).serverParameter)
            }
        }
        return parameters
    }

    // MARK: As COPY

    /// What takes rows in the binary format.
    var copy: String {
        "COPY \(writing.table.quotedName) (\(targets.map(\.name).joined(separator: ", "))) FROM STDIN (FORMAT binary)"
    }

    /// Whether COPY stores every value as an INSERT would. What it would not, an INSERT refuses with the row's number.
    func canCopy(_ rows: [[Value]]) -> Bool {
        let plain = targets.compactMap { target -> (place: Int, type: UInt32?)? in
            guard case .plain(let type) = target.source else { return nil }
            return (target.place, type)
        }
        return rows.allSatisfy { row in
            plain.allSatisfy { place, type in
                place >= row.count || Self.canCopy(row[place], type)
            }
        }
    }

    private static func canCopy(_ value: Value, _ type: UInt32?) -> Bool {
        switch (type, value) {
        case (ServerType.int2, .integer(let number)): Int16(exactly: number) != nil
        case (ServerType.int4, .integer(let number)): Int32(exactly: number) != nil
        case (ServerType.int8, .integer), (ServerType.float8, .real): true
        case (ServerType.text, .text(let text)), (ServerType.varchar, .text(let text)):
            !text.utf8.contains(0)
        case (ServerType.bytea, .blob(let bytes)): bytes.count < 1 << 30
        case (ServerType.uuid, .blob(let bytes)): bytes.count == 16
        case (.some(let type), .null): types.contains(type)
        default: false
        }
    }

    private static let types = [
        ServerType.int2, ServerType.int4, ServerType.int8, ServerType.float8, ServerType.text,
        ServerType.varchar, ServerType.bytea, ServerType.uuid,
    ]

    /// Appends a row that ``canCopy(_:)`` has accepted.
    func append(
        _ row: [Value], _ key: [Value], to rows: inout BinaryRows
    ) throws(LockstepError) {
        rows.beginRow(targets.count)
        for target in targets {
            let value = row[target.place]
            switch target.source {
            case .plain(let type): Self.append(value, type, to: &rows)
            case .sealed(let column):
                if value == .null {
                    rows.appendNull()
                } else {
                    rows.append(value: try column.seal(value, key))
                }
            case .token(let column, let number):
                Self.append(
                    try column.token(value, under: number), ServerType.int8, to: &rows)
            }
        }
    }

    private static func append(_ value: Value, _ type: UInt32?, to rows: inout BinaryRows) {
        switch value {
        case .null: rows.appendNull()
        case .integer(let number):
            switch type {
            case ServerType.int2: rows.append(Int16(truncatingIfNeeded: number))
            case ServerType.int4: rows.append(Int32(truncatingIfNeeded: number))
            default: rows.append(number)
            }
        case .real(let number): rows.append(number)
        case .text(let text): rows.append(text)
        case .blob(let bytes): rows.append(value: bytes)
        }
    }
}
