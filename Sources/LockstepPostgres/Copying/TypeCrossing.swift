internal import Lockstep

/// How the values of a column cross between a file and a server's type, so that the same value comes back.
enum TypeCrossing: Sendable, Equatable {
    case int2, int4, int8
    case float4, float8
    case bool
    case text
    case bytes
    case uuid
    /// Microseconds since 1970 in a file.
    case instant

    /// Nil for a type whose values do not cross.
    init?(_ type: UInt32) {
        switch type {
        case ServerType.int2: self = .int2
        case ServerType.int4: self = .int4
        case ServerType.int8: self = .int8
        case ServerType.float4: self = .float4
        case ServerType.float8: self = .float8
        case ServerType.bool: self = .bool
        case ServerType.text, ServerType.varchar, ServerType.json: self = .text
        case ServerType.bytea: self = .bytes
        case ServerType.uuid: self = .uuid
        case ServerType.timestamptz: self = .instant
        default: return nil
        }
    }

    /// What the types are named, for messages.
    static let known =
        "smallint, integer, bigint, real, double precision, boolean, text, varchar, json, bytea, uuid and timestamptz"

    /// From 1970 to 2000, where the server's instants begin, in microseconds.
    private static let epoch: Int64 = 946_684_800_000_000

    /// What keeps a value from crossing.
    struct Obstacle: Error {
        let what: String
    }

    // MARK: To a server

    /// Appends a file's value in the server's form.
    /// - Throws: ``Obstacle`` for a value that would not come back as it was.
    func append(_ value: borrowing RowValue, to rows: inout BinaryRows) throws {
        switch value {
        case .null: rows.appendNull()
        case .integer(let number): try append(number, to: &rows)
        case .real(let number): try append(number, to: &rows)
        case .text(let bytes):
            guard self == .text else { throw unfit("a text") }
            try Self.requireText(bytes)
            rows.append(bytes)
        case .blob(let bytes):
            guard self == .bytes || (self == .uuid && bytes.byteCount == 16) else {
                throw unfit("a BLOB")
            }
            guard bytes.byteCount < 1 << 30 else {
                throw Obstacle(what: "a value of 1 GiB or more")
            }
            rows.append(bytes)
        }
    }

    private func append(_ number: Int64, to rows: inout BinaryRows) throws {
        switch self {
        case .int8: rows.append(number)
        case .int4:
            guard let small = Int32(exactly: number) else { throw tooLarge }
            rows.append(small)
        case .int2:
            guard let small = Int16(exactly: number) else { throw tooLarge }
            rows.append(small)
        case .bool:
            guard (0...1).contains(number) else {
                throw Obstacle(what: "an integer that is not 0 or 1")
            }
            rows.append(number == 1)
        case .instant:
            let (moved, overflow) = number.subtractingReportingOverflow(Self.epoch)
            guard !overflow, Self.instants.contains(moved) else { throw tooLarge }
            rows.append(moved)
        case .float8, .float4:
            guard let real = Double(exactly: number) else { throw tooLarge }
            try append(real, to: &rows)
        case .text, .bytes, .uuid: throw unfit("an integer")
        }
    }

    private func append(_ number: Double, to rows: inout BinaryRows) throws {
        switch self {
        case .float8: rows.append(number)
        case .float4:
            guard Double(Float(number)) == number else {
                throw Obstacle(what: "a number with more digits than the type has")
            }
            rows.append(Float(number))
        default: throw unfit("a REAL")
        }
    }

    /// Adds a file's value to a digest as it is once it has crossed, which ``append(_:to:)`` has found it to do.
    func add(
        _ value: borrowing RowValue, to digest: inout StoredValueDigest
    ) throws(LockstepError) {
        switch value {
        case .null: try digest.add(.null, RawSpan())
        case .integer(let number):
            if self == .float8 || self == .float4 {
                try digest.add(.real, Double(number).bitPattern)
            } else {
                try digest.add(.integer, UInt64(bitPattern: number))
            }
        case .real(let number): try digest.add(.real, number.bitPattern)
        case .text(let bytes): try digest.add(.text, bytes)
        case .blob(let bytes): try digest.add(.blob, bytes)
        }
    }

    /// The server takes no U+0000, and nothing that is not UTF-8.
    private static func requireText(_ bytes: RawSpan) throws {
        let isZero = unsafe bytes.withUnsafeBytes { unsafe $0.contains(0) }
        guard !isZero else { throw Obstacle(what: "a text with U+0000") }
        let isValid = unsafe bytes.withUnsafeBytes { bytes in
            unsafe (try? UTF8Span(validating: bytes.bindMemory(to: UInt8.self).span)) != nil
        }
        guard isValid else { throw Obstacle(what: "a text that is not UTF-8") }
    }

    /// The instants that the server stores, in microseconds since 2000: from 4713 BC to 294276.
    private static let instants: ClosedRange<Int64> = -211_813_488_000_000_000...9_223_371_331_199_999_999

    private func unfit(_ what: String) -> Obstacle { Obstacle(what: what) }
    private var tooLarge: Obstacle { Obstacle(what: "a number beyond the type's") }

    // MARK: From a server

    /// The value of these bytes of the binary format.
    /// - Throws: ``Obstacle`` for what a file would store as another value.
    func value(_ bytes: ArraySlice<UInt8>) throws -> Value {
        switch self {
        case .int2 where bytes.count == 2:
            return .integer(Int64(Int16(truncatingIfNeeded: Self.number(bytes))))
        case .int4 where bytes.count == 4:
            return .integer(Int64(Int32(truncatingIfNeeded: Self.number(bytes))))
        case .int8 where bytes.count == 8: return .integer(Self.number(bytes))
        case .bool where bytes == [0] || bytes == [1]: return .integer(bytes == [1] ? 1 : 0)
        case .instant where bytes.count == 8:
            let number = Self.number(bytes)
            let (moved, overflow) = number.addingReportingOverflow(Self.epoch)
            guard !overflow, Self.instants.contains(number) else {
                throw Obstacle(what: "an infinite instant")
            }
            return .integer(moved)
        case .float8 where bytes.count == 8:
            return try Self.real(Double(bitPattern: UInt64(bitPattern: Self.number(bytes))))
        case .float4 where bytes.count == 4:
            return try Self.real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: Self.number(bytes)))))
        case .text:
            guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
                throw BinaryReader.malformed
            }
            return .text(text)
        case .bytes: return .blob(Array(bytes))
        case .uuid where bytes.count == 16: return .blob(Array(bytes))
        default: throw BinaryReader.malformed
        }
    }

    private static func real(_ number: Double) throws(Obstacle) -> Value {
        // SQLite would store NULL.
        guard !number.isNaN else { throw Obstacle(what: "NaN") }
        return .real(number)
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
        Int64(bitPattern: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}

extension StoredValueDigest {
    /// Adds a value of the current row.
    mutating func add(_ value: Value) throws(LockstepError) {
        switch value {
        case .null: try add(.null, RawSpan())
        case .integer(let number): try add(.integer, UInt64(bitPattern: number))
        case .real(let number): try add(.real, number.bitPattern)
        case .text(let text): unsafe try add(.text, text.utf8.span.bytes)
        case .blob(let bytes): unsafe try add(.blob, bytes.span.bytes)
        }
    }
}
