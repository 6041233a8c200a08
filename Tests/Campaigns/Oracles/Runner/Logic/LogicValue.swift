import Lockstep

/// A value in the suite's notation: formatted by the query's type for the column, whatever the value's own type.
enum LogicValue {
    static func text(
        _ row: borrowing Row, _ column: Int, as type: UInt8, _ connection: borrowing Connection
    ) throws -> String {
        let value = try row.leniently(column)
        switch (type, value) {
        case (_, .null): return "NULL"
        case (UInt8(ascii: "I"), .integer(let number)): return whole(number)
        case (UInt8(ascii: "I"), _): return whole(try cast(value, "INTEGER", connection))
        case (UInt8(ascii: "R"), .integer(let number)):
            return try real(Double(number), connection)
        case (UInt8(ascii: "R"), .real(let number)): return try real(number, connection)
        case (UInt8(ascii: "R"), _): return try real(cast(value, "REAL", connection), connection)
        case (_, .text), (_, .blob): return printable(try row.bytes(column))
        case (_, .integer(let number)): return String(number)
        case (_, .real):
            let text: String = try cast(value, "TEXT", connection)
            return text
        }
    }

    /// The suite expects a C int.
    private static func whole(_ number: Int64) -> String {
        String(Int32(truncatingIfNeeded: number))
    }

    /// With three decimals, as SQLite rounds them.
    private static func real(
        _ number: Double, _ connection: borrowing Connection
    ) throws -> String {
        if number.magnitude < 1e12, let whole = Int64(exactly: number), whole != 0 {
            return "\(whole).000"
        }
        guard let text = try connection.value("SELECT printf('%.3f', ?)", number, as: String.self)
        else { throw Missing() }
        return text
    }

    /// A value of another type, as SQLite converts it.
    private static func cast<Element: ColumnDecodable>(
        _ value: Value, _ type: String, _ connection: borrowing Connection
    ) throws -> Element {
        let sql = SQL(verbatim: "SELECT CAST(? AS \(type))")
        guard let converted = try connection.value(sql, value, as: Element.self) else {
            throw Missing()
        }
        return converted
    }

    /// Up to a zero byte; unprintable characters become @.
    private static func printable(_ bytes: RawSpan) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.byteCount)
        for index in 0..<bytes.byteCount {
            let byte = bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
            if byte == 0 { break }
            text.append((32...126).contains(byte) ? byte : UInt8(ascii: "@"))
        }
        return text.isEmpty ? "(empty)" : String(decoding: text, as: UTF8.self)
    }

    struct Missing: Error {}
}
