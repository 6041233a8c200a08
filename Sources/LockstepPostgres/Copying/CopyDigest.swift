internal import Lockstep

/// The rows of a table as a copy compares them: their number, and SHA-256 over their values in the canonical form of
/// manifests, in the key's order; without a key in any order.
struct CopyDigest: Sendable, Equatable {
    let rows: Int
    let digest: [UInt8]

    /// The server's rows, as a file would have them.
    /// - Throws: `LockstepError.Code.typeMismatch` for a value that a file does not store as it is.
    init(
        _ table: CopyTable, on server: borrowing ServerConnection,
        row body: ([Value]) throws -> Void = { _ in }
    ) throws {
        var digest = try StoredValueDigest(isOfSet: table.key.isEmpty)
        var rows = 0
        var reader = BinaryReader()
        try server.copyOut(ServerSQL(verbatim: table.copyOut)) { piece in
            try reader.take(piece) { bytes, places in
                guard places.count == table.columns.count else { throw BinaryReader.malformed }
                var values: [Value] = []
                values.reserveCapacity(places.count)
                for (place, column) in zip(places, table.columns) {
                    values.append(try Self.value(bytes, place, column, table, row: rows))
                }
                for value in values { try digest.add(value) }
                try digest.endRow()
                rows += 1
                try body(values)
            }
        }
        try reader.requireEnd()
        (self.rows, self.digest) = (rows, try digest.finish())
    }

    private static func value(
        _ bytes: [UInt8], _ place: BinaryReader.Place, _ column: CopyTable.Column, _ table: CopyTable, row: Int
    ) throws -> Value {
        guard let place else { return .null }
        do {
            return try column.crossing.value(bytes[place])
        } catch let obstacle as TypeCrossing.Obstacle {
            throw table.obstacle(obstacle, column, at: " in row \(row + 1) by the key")
        }
    }

    /// The file's rows, as the server would have them, once each value is known to cross.
    /// - Throws: `LockstepError.Code.typeMismatch` for a value that does not.
    init(
        _ table: CopyTable, in file: borrowing Connection, progress: () throws -> Void
    ) throws {
        var digest = try StoredValueDigest(isOfSet: table.key.isEmpty)
        var rows = 0
        var scratch = BinaryRows()
        try file.prepare(SQL(verbatim: table.fileSelection())).forEach { row in
            scratch.removeAll()
            for (place, column) in table.columns.enumerated() {
                do {
                    try column.require(row.stored(place))
                    try column.crossing.append(row.stored(place), to: &scratch)
                    try column.crossing.add(row.stored(place), to: &digest)
                } catch let obstacle as TypeCrossing.Obstacle {
                    let key = try Self.place(of: row, table)
                    throw table.obstacle(obstacle, column, at: key)
                }
            }
            try digest.endRow()
            rows += 1
            if rows.isMultiple(of: 1024) { try progress() }
        }
        (self.rows, self.digest) = (rows, try digest.finish())
    }

    /// The key of a row for messages, if it is a number: any other can itself be confidential.
    private static func place(
        of row: borrowing Row, _ table: CopyTable
    ) throws -> String {
        guard table.key.count == 1 else { return "" }
        guard case .integer(let number) = try row[table.key[0]] as Value else { return "" }
        return " in the row \(number)"
    }
}
