internal import Lockstep

/// One statement that writes a row of a table with sealed columns: which columns get which values, sealed, with their
/// tokens.
struct ServerWriting {
    let table: ServerTable
    private let sealed: [ServerColumn]

    /// - Throws: `LockstepError.Code.misuse` for a table without sealed columns.
    init(_ name: String, _ fields: ServerFields?) throws(LockstepError) {
        guard let fields, let table = fields.table(name) else {
            throw LockstepError(
                .misuse, "\(name) has no sealed columns on this server, or the keys of their dataset were not given",
                hint: "write its rows with an INSERT or UPDATE of your own", context: .init(table: name))
        }
        (self.table, sealed) = (table, fields.columns(of: table))
    }

    var keyNames: [String] { table.shape.key.columns.map(\.name) }

    /// Whether the cells of a row need its key.
    var bindsToRow: Bool { sealed.contains { $0.column.mode.bindsToRow } }

    /// What is written for these values, in the same order: the values of plain columns, cells, then tokens.
    /// - Parameter key: The values of the row's key; empty if no cell is bound to it.
    /// - Throws: `LockstepError.Code.misuse` for a column that the table has not, or that holds tokens;
    ///   `LockstepError.Code.typeMismatch` for a value that is not of its column's type.
    func assignments(
        _ values: [(name: String, value: Value)], _ key: [Value]
    ) throws(LockstepError) -> [(name: String, parameter: ServerParameter)] {
        var assignments: [(name: String, parameter: ServerParameter)] = []
        for (name, value) in values {
            guard let column = sealedColumn(name) else {
                assignments.append(try plain(name, value))
                continue
            }
            let cell: ServerParameter =
                value == .null ? .null : .bytes(try column.seal(value, key))
            assignments.append((try spelling(name), cell))
            for (name, token) in try column.tokens(value) {
                assignments.append((try spelling(name), token.serverParameter))
            }
        }
        return assignments
    }

    private func plain(
        _ name: String, _ value: Value
    ) throws(LockstepError) -> (name: String, parameter: ServerParameter) {
        try requirePlain(name)
        return (try spelling(name), try parameter(name, value))
    }

    /// The sealed column of this name; nil for any other.
    func sealedColumn(_ name: String) -> ServerColumn? {
        sealed.first { SQLName($0.column.name) == SQLName(name) }
    }

    /// - Throws: `LockstepError.Code.misuse` for a column that holds tokens.
    func requirePlain(_ name: String) throws(LockstepError) {
        let isToken = sealed.contains { column in
            column.column.indexes.contains { SQLName($0.name) == SQLName(name) }
        }
        guard !isToken else {
            throw LockstepError(
                .misuse,
                "\(table.shape.name).\(name) holds the tokens of a blind index, which are written with its column",
                hint: "leave it out", context: .init(table: table.shape.name, column: name))
        }
    }

    /// A value as it is sent for a column that is not sealed.
    /// - Throws: `LockstepError.Code.typeMismatch` for a value that the server would store as another one.
    func parameter(_ name: String, _ value: Value) throws(LockstepError) -> ServerParameter {
        let type = table.detail(name)?.type
        switch (type, value) {
        case (_, .null): return .null
        case (ServerType.uuid, .blob(let bytes)) where bytes.count == 16:
            return .text(Hex.encode(bytes))
        case (ServerType.bytea, .blob): return value.serverParameter
        case (ServerType.bytea, _), (_, .blob), (ServerType.uuid, _):
            throw mismatch(name, value)
        case (ServerType.int2, .integer), (ServerType.int4, .integer),
            (ServerType.int8, .integer):
            return value.serverParameter
        case (ServerType.int2, _), (ServerType.int4, _), (ServerType.int8, _):
            throw mismatch(name, value)
        case (ServerType.text, .text), (ServerType.varchar, .text):
            return value.serverParameter
        case (ServerType.text, _), (ServerType.varchar, _): throw mismatch(name, value)
        default: return value.serverParameter
        }
    }

    func mismatch(_ name: String, _ value: Value) -> LockstepError {
        let type = table.shape.column(name)?.type ?? ""
        return LockstepError(
            .typeMismatch,
            "\(table.shape.name).\(name) is of the type \(type), and its value is of the type \(value.typeName)",
            hint: "pass a value of the column's own type", context: .init(table: table.shape.name, column: name))
    }

    func spelling(_ name: String) throws(LockstepError) -> String {
        guard let column = table.shape.column(name) else {
            throw LockstepError(
                .misuse, "\(table.shape.name) has no column \(name)", hint: "check its name",
                context: .init(table: table.shape.name, column: name))
        }
        return SQLTokens.quote(column.name)
    }

    /// The key's column, whose sequence numbers new rows.
    /// - Throws: `LockstepError.Code.misuse` for a key that no sequence fills.
    func numberedKey() throws(LockstepError) -> String {
        guard case .row(let column) = table.shape.key,
            table.detail(column.name)?.sequence != nil
        else {
            throw LockstepError(
                .misuse,
                "a row of \(table.shape.name) needs its key before its cells are sealed: \(keyNames.joined(separator: ", "))",
                hint: "pass the key with the other values",
                context: .init(table: table.shape.name))
        }
        return column.name
    }

    // MARK: Statements

    /// The text of an INSERT.
    func insertion(_ names: [String], overriding: Bool) -> String {
        let places = (1...max(names.count, 1)).map { "$\($0)" }
        return
            "INSERT INTO \(table.quotedName) (\(names.joined(separator: ", ")))\(overriding ? " OVERRIDING SYSTEM VALUE" : "") "
            + "VALUES (\(places.joined(separator: ", ")))"
    }

    /// The text of an UPDATE of the row with a key, whose values come last.
    func update(_ names: [String]) -> String {
        let changes = names.enumerated().map { "\($1) = $\($0 + 1)" }
        let key = keyNames.enumerated().map {
            "\(SQLTokens.quote($1)) OPERATOR(pg_catalog.=) $\(names.count + $0 + 1)"
        }
        return
            "UPDATE \(table.quotedName) SET \(changes.joined(separator: ", ")) WHERE \(key.joined(separator: " AND "))"
    }
}

extension Value {
    /// The name of the type in messages.
    var typeName: String {
        switch self {
        case .null: "NULL"
        case .integer: "INTEGER"
        case .real: "REAL"
        case .text: "TEXT"
        case .blob: "BLOB"
        }
    }
}
