/// AES-256 in its encrypting direction (FIPS 197), implemented independently for tests that make their own pages: the
/// engine itself only decrypts pages.
struct AES256 {
    private let roundKeys: [[UInt8]]
    private static let box = Self.makeBox()

    init(key: [UInt8]) {
        var words = stride(from: 0, to: 32, by: 4).map { Array(key[$0..<($0 + 4)]) }
        var constant: UInt8 = 1
        while words.count < 60 {
            var word = words[words.count - 1]
            if words.count % 8 == 0 {
                word = [word[1], word[2], word[3], word[0]].map { Self.box[Int($0)] }
                word[0] ^= constant
                constant = Self.double(constant)
            } else if words.count % 8 == 4 {
                word = word.map { Self.box[Int($0)] }
            }
            words.append(zip(words[words.count - 8], word).map { $0 ^ $1 })
        }
        roundKeys = stride(from: 0, to: 60, by: 4).map { Array(words[$0..<($0 + 4)].joined()) }
    }

    func encrypt(_ block: [UInt8]) -> [UInt8] {
        var state = block
        Self.add(roundKeys[0], to: &state)
        var next = state
        // Loops instead of closures: a page has 250 blocks, and tests make many pages.
        for round in 1...14 {
            var index = 0
            while index < 16 {
                // SubBytes and ShiftRows at once: row r moves left by r columns.
                next[index] = Self.box[Int(state[(index + 4 * (index & 3)) & 15])]
                index += 1
            }
            if round < 14 { Self.mixColumns(&next) }
            Self.add(roundKeys[round], to: &next)
            swap(&state, &next)
        }
        return state
    }

    private static func add(_ key: [UInt8], to state: inout [UInt8]) {
        var index = 0
        while index < 16 {
            state[index] ^= key[index]
            index += 1
        }
    }

    private static func mixColumns(_ state: inout [UInt8]) {
        var at = 0
        while at < 16 {
            let (a, b, c, d) = (state[at], state[at + 1], state[at + 2], state[at + 3])
            let all = a ^ b ^ c ^ d
            state[at] = a ^ all ^ double(a ^ b)
            state[at + 1] = b ^ all ^ double(b ^ c)
            state[at + 2] = c ^ all ^ double(c ^ d)
            state[at + 3] = d ^ all ^ double(d ^ a)
            at += 4
        }
    }

    /// Cipher block chaining over whole blocks.
    func encryptCBC(_ text: [UInt8], initialisationVector: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var last = initialisationVector
        for at in stride(from: 0, to: text.count, by: 16) {
            last = encrypt(zip(text[at..<(at + 16)], last).map { $0 ^ $1 })
            output += last
        }
        return output
    }

    private static func double(_ byte: UInt8) -> UInt8 { byte << 1 ^ (byte >> 7) * 0x1B }

    /// Section 5.1.1: the inverse in GF(2⁸), then an affine map. 3 generates all elements but 0.
    private static func makeBox() -> [UInt8] {
        var powers: [UInt8] = [1]
        while powers.count < 255 {
            let last = powers[powers.count - 1]
            powers.append(last ^ double(last))
        }
        var box = [UInt8](repeating: 0x63, count: 256)
        for (exponent, element) in powers.enumerated() {
            let inverse = powers[(255 - exponent) % 255]
            var mixed = inverse ^ 0x63
            for shift: UInt8 in 1...4 { mixed ^= inverse << shift | inverse >> (8 - shift) }
            box[Int(element)] = mixed
        }
        return box
    }
}
