/// Unpacks zlib streams (RFC 1950 and 1951), as Wycheproof packs long messages: there is no zlib for
/// Swift on Linux.
public struct Inflate {
    /// What is no such stream.
    public struct Malformed: Error {}

    private let input: [UInt8]
    /// In bits.
    private var position = 16
    private var output: [UInt8] = []

    /// The content of a stream, whose checksum is compared.
    public static func zlib(_ input: [UInt8]) throws -> [UInt8] {
        guard input.count >= 6, input[0] & 15 == 8, input[1] & 32 == 0, (Int(input[0]) << 8 | Int(input[1])) % 31 == 0
        else { throw Malformed() }
        var inflate = Inflate(input: input)
        while try !inflate.block() {}
        let (low, high) = inflate.output.reduce((1, 0)) { sums, byte in
            let low = (sums.0 + Int(byte)) % 65521
            return (low, (sums.1 + low) % 65521)
        }
        inflate.align()
        var checksum = 0
        for _ in 0..<4 { checksum = try checksum << 8 | inflate.bits(8) }
        guard checksum == high << 16 | low, inflate.position == input.count * 8 else {
            throw Malformed()
        }
        return inflate.output
    }

    private init(input: [UInt8]) { self.input = input }

    private mutating func align() { position = (position + 7) / 8 * 8 }

    private mutating func bits(_ count: Int) throws -> Int {
        guard position + count <= input.count * 8 else { throw Malformed() }
        var value = 0
        for index in 0..<count {
            value |= Int(input[position / 8] >> UInt8(position % 8) & 1) << index
            position += 1
        }
        return value
    }

    /// Unpacks a block, and says whether it was the last one.
    private mutating func block() throws -> Bool {
        let isLast = try bits(1) == 1
        switch try bits(2) {
        case 0: try stored()
        case 1:
            let lengths = (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 }
            try packed(Codes(lengths), Codes(Array(repeating: 5, count: 30)))
        case 2:
            let (literals, distances) = try codes()
            try packed(literals, distances)
        default: throw Malformed()
        }
        return isLast
    }

    private mutating func stored() throws {
        align()
        let count = try bits(16)
        guard try bits(16) == ~count & 0xFFFF, position / 8 + count <= input.count else {
            throw Malformed()
        }
        output += input[position / 8..<position / 8 + count]
        position += count * 8
    }

    private mutating func codes() throws -> (Codes, Codes) {
        let (literals, distances, meta) = (try bits(5) + 257, try bits(5) + 1, try bits(4) + 4)
        var metaLengths = Array(repeating: 0, count: 19)
        let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
        for index in order.prefix(meta) { metaLengths[index] = try bits(3) }
        let metaCodes = Codes(metaLengths)
        var lengths: [Int] = []
        while lengths.count < literals + distances {
            let symbol = try symbol(metaCodes)
            switch symbol {
            case 16:
                guard let last = lengths.last else { throw Malformed() }
                lengths += Array(repeating: last, count: try bits(2) + 3)
            case 17: lengths += Array(repeating: 0, count: try bits(3) + 3)
            case 18: lengths += Array(repeating: 0, count: try bits(7) + 11)
            default: lengths.append(symbol)
            }
        }
        guard lengths.count == literals + distances else { throw Malformed() }
        return (Codes(Array(lengths[..<literals])), Codes(Array(lengths[literals...])))
    }

    private mutating func packed(_ literals: Codes, _ distances: Codes) throws {
        while true {
            let symbol = try symbol(literals)
            if symbol == 256 { return }
            guard symbol > 256 else {
                output.append(UInt8(symbol))
                continue
            }
            // RFC 1951, section 3.2.5.
            guard symbol <= 285 else { throw Malformed() }
            let step = symbol - 257
            let length =
                step < 8
                ? step + 3
                : step == 28
                    ? 258 : (4 + step % 4) << (step / 4 - 1) + 3 + (try bits(step / 4 - 1))
            let code = try self.symbol(distances)
            let distance = code < 4 ? code + 1 : (2 + code % 2) << (code / 2 - 1) + 1 + (try bits(code / 2 - 1))
            guard distance <= output.count else { throw Malformed() }
            for _ in 0..<length { output.append(output[output.count - distance]) }
        }
    }

    private mutating func symbol(_ codes: Codes) throws -> Int {
        var (code, first, index) = (0, 0, 0)
        for count in codes.counts.dropFirst() {
            code |= try bits(1)
            if code - first < count { return codes.symbols[index + code - first] }
            index += count
            first = (first + count) << 1
            code <<= 1
        }
        throw Malformed()
    }

    /// A canonical Huffman code: how many codes each length has, and their symbols in order.
    private struct Codes {
        let counts: [Int]
        let symbols: [Int]

        init(_ lengths: [Int]) {
            counts = (0...15).map { length in
                length == 0 ? 0 : lengths.count { $0 == length }
            }
            symbols = (1...15).flatMap { length in
                lengths.indices.filter { lengths[$0] == length }
            }
        }
    }
}
