import TestSupport

/// What is changed in one message of a server. The protocol is that of PostgreSQL's manual, "Message Formats".
struct Lie {
    enum Kind: CaseIterable {
        case byte, null, value, fieldLength, fieldCount, length, dropped, twice, ended, cut, other, error, notices
        case setting, tag
    }

    /// Which message of the server, counting from 0.
    let place: Int
    let kind: Kind
    private var random: SplitMix64

    init(place: Int, kind: Kind, seed: UInt64) {
        (self.place, self.kind, random) = (place, kind, SplitMix64(state: seed))
    }

    private static let values = [
        "", "-1", "0", "1", "2147483648", "-9223372036854775808", "9223372036854775807", "18446744073709551616", "NaN",
        "t", "f", "\\x", "\\x00", "films", "public", "a'b", "\u{0}",
    ]

    /// The message as it is passed on, and whether the connection ends.
    mutating func change(_ message: [UInt8], earlier: [UInt8: [UInt8]]) -> (answer: [UInt8], ends: Bool) {
        let body = Array(message[5...])
        switch kind {
        case .byte:
            guard !body.isEmpty else { return (message, true) }
            var message = message
            message[5 + number(0..<body.count)] ^= UInt8(1 << number(0..<8))
            return (message, false)
        case .null: return (changed(row: message) { _ in nil }, false)
        case .value:
            let value = Self.values[number(0..<Self.values.count)]
            return (changed(row: message) { _ in Array(value.utf8) }, false)
        case .fieldLength:
            var message = message
            guard message.count >= 11 else { return (message, true) }
            message.replaceSubrange(7..<11, with: Self.bytes([-2, 0, 1 << 30, -1 << 31][number(0..<4)]))
            return (message, false)
        case .fieldCount:
            var message = message
            guard message.count >= 7 else { return (message, true) }
            message.replaceSubrange(5..<7, with: [[0, 0], [0, 1], [0xFF, 0xFF], [0x7F, 0xFF]][number(0..<4)])
            return (message, false)
        case .length:
            var message = message
            message.replaceSubrange(1..<5, with: Self.bytes([0, 3, 4, 1 << 20, 0x7FFF_FFFF, -1][number(0..<6)]))
            return (message, false)
        case .dropped: return ([], false)
        case .twice: return (message + message, false)
        case .ended: return ([], true)
        case .cut: return (Array(message[..<number(0..<message.count)]), true)
        case .other:
            // One of the same type, or of any.
            let known = earlier.sorted { $0.key < $1.key }.map(\.value)
            return (earlier[message[0]] ?? known.first ?? [], false)
        case .error:
            let state = ["40001", "42P01", "57P01", "XX000", "00000", "23505"][number(0..<6)]
            return (Self.message("E", Self.fields(state)) + message, false)
        case .notices:
            return ((0..<200).flatMap { _ in Self.notice } + message, false)
        case .setting:
            let settings = [
                ("server_encoding", "LATIN1"), ("client_encoding", "SQL_ASCII"), ("DateStyle", "German"),
                ("server_version", "9.6"), ("standard_conforming_strings", "off"), ("integer_datetimes", "off"),
            ]
            let (name, value) = settings[number(0..<settings.count)]
            return (Self.message("S", Array("\(name)\0\(value)\0".utf8)) + message, false)
        case .tag:
            guard message[0] == UInt8(ascii: "C") else { return (message, true) }
            let tags = [
                "INSERT 0 0", "INSERT 0 99999999999999999999", "SELECT -1", "COMMIT", "ROLLBACK", "COPY 5", "",
                "UPDATE 1",
            ]
            return (Self.message("C", Array("\(tags[number(0..<tags.count)])\0".utf8)), false)
        }
    }

    private mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

    /// A row of data with another value in one of its fields; other messages lose a byte.
    private mutating func changed(row message: [UInt8], _ change: ([UInt8]) -> [UInt8]?) -> [UInt8] {
        guard message[0] == UInt8(ascii: "D") else { return Array(message.dropLast()) }
        var fields: [[UInt8]?] = []
        var place = 7
        while place + 4 <= message.count {
            let length = Int(Self.number(message[place..<(place + 4)]))
            place += 4
            guard length >= 0 else {
                fields.append(nil)
                continue
            }
            fields.append(Array(message[place..<(place + length)]))
            place += length
        }
        guard !fields.isEmpty else { return message }
        let index = number(0..<fields.count)
        fields[index] = change(fields[index] ?? [])
        let body = fields.flatMap { field in Self.bytes(field?.count ?? -1) + (field ?? []) }
        return Self.message("D", Self.bytes(fields.count).suffix(2) + body)
    }

    private static func fields(_ state: String) -> [UInt8] {
        Array("SERROR\0VERROR\0C\(state)\0Mlie\0\0".utf8)
    }

    static let notice = message("N", fields("01000"))

    static func message(_ type: Unicode.Scalar, _ body: [UInt8]) -> [UInt8] {
        [UInt8(ascii: type)] + bytes(body.count + 4) + body
    }

    static func bytes(_ number: Int) -> [UInt8] {
        let bits = UInt32(truncatingIfNeeded: number)
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: bits >> $0) }
    }

    static func number(_ bytes: ArraySlice<UInt8>) -> Int32 {
        Int32(bitPattern: bytes.reduce(0) { $0 << 8 | UInt32($1) })
    }
}
