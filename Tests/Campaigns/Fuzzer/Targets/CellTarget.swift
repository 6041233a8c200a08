@testable import Lockstep

/// Cells under known keys, and plaintexts of cells. The first byte selects the column and place that a cell is opened
/// for.
final class CellTarget: FuzzTarget {
    static let name = "cell"
    static let refusals: Set<LockstepError.Code> = [.cellMalformed, .cellForged, .keyUnavailable]
    private let ciphers: [ColumnCipher]
    private static let bindings: [CellBinding] = [.row(7), .key([.integer(1), .text("a"), .blob([1, 2])]), .column]

    init() throws {
        ciphers = try Self.ciphers()
    }

    private static func ciphers() throws -> [ColumnCipher] {
        let keys = try FuzzKeys.fieldKeys()
        let tools = SealingTools()
        return [
            try ColumnCipher(column: 1, keys, tools), try ColumnCipher(column: 2, keys, tools, mode: .deterministic),
            try ColumnCipher(column: 3, keys, tools, padding: .multiple(of: 32)),
            try ColumnCipher(column: 4, identity: [UInt8](repeating: 7, count: 16), opensNumbered: true, keys, tools),
        ]
    }

    static func seeds() throws -> [String: [UInt8]] {
        let values: [Value] = [.null, .integer(-3), .real(.pi), .text("Casablanca"), .blob([1, 2, 3])]
        var seeds: [String: [UInt8]] = [:]
        let ciphers = try ciphers()
        for (number, value) in values.enumerated() {
            let (cipher, binding) = (number % ciphers.count, number % bindings.count)
            let cell = try ciphers[cipher].seal(value, at: bindings[binding])
            seeds["cell-\(value.tag)"] = [UInt8(cipher | binding << 2)] + cell
            guard number.isMultiple(of: 2) else { continue }
            seeds["plain-\(value.tag)"] = [0x80] + (try plaintext(value, .multiple(of: 8)))
        }
        seeds["chunked"] = [0] + (try chunked(ciphers[0]))
        return seeds
    }

    private static func plaintext(_ value: Value, _ padding: CellPadding) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: try CellPlaintext.length(of: value, padding))
        var output = bytes.mutableSpan
        CellPlaintext.write(value, padding, to: &output)
        return bytes
    }

    /// A short value in chunks, as streams write them.
    private static func chunked(_ cipher: ColumnCipher) throws -> [UInt8] {
        let plain = try plaintext(.blob([7, 8, 9]), .none)
        let chunked = try cipher.chunkedCipher()
        var cell = [UInt8](repeating: 0, count: try CellFormat.chunked.cellLength(plain.count))
        cell.replaceSubrange(0..<CellFormat.prefixLength, with: chunked.prefix)
        cell.replaceSubrange((cell.count - plain.count)..., with: plain)
        try unsafe cell.withUnsafeMutableBufferPointer {
            try unsafe chunked.seal($0, cipher.tools, bindings[0])
        }
        return cell
    }

    func run(_ input: [UInt8]) throws {
        var input = FuzzInput(input)
        let choice = input.byte()
        let bytes = input.remainder()
        guard choice & 0x80 == 0 else { return try readPlaintext(bytes) }
        let cipher = ciphers[Int(choice & 3) % ciphers.count]
        let binding = Self.bindings[Int(choice >> 2 & 3) % Self.bindings.count]
        for format in CellFormat.allCases {
            guard let length = format.plaintextLength(bytes.count) else { continue }
            require(try format.cellLength(length) == bytes.count, "a cell's length is that of another one")
        }
        let value = try cipher.open(bytes.span, at: binding)
        let again = try cipher.seal(value, at: binding)
        require(same(try cipher.open(again.span, at: binding), value), "a cell opens as something else")
    }

    private func readPlaintext(_ bytes: [UInt8]) throws {
        guard let value = CellPlaintext.read(bytes.span) else { return }
        for padding: CellPadding in [.none, .multiple(of: 7)] {
            let written = try Self.plaintext(value, padding)
            guard let again = CellPlaintext.read(written.span) else {
                fatalError("a plaintext that was written is none")
            }
            require(same(again, value), "a plaintext is read as another one")
        }
    }

    /// All NaNs are equal.
    private func same(_ one: Value, _ other: Value) -> Bool {
        if case .real(let one) = one, case .real(let other) = other {
            return one.isNaN ? other.isNaN : one.bitPattern == other.bitPattern
        }
        if case .text(let one) = one, case .text(let other) = other {
            return one.utf8.elementsEqual(other.utf8)
        }
        return one == other
    }
}
