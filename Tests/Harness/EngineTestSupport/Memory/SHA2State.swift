/// The state of SHA-256 or SHA-512 (FIPS 180-4) after one block, as libcrypto has it in memory: the part of its key
/// that an HMAC keeps. Implemented independently, for tests that look for it.
enum SHA2State {
    /// The states of an HMAC-SHA256 after its key, in the order inner, outer.
    static func hmac256(_ key: [UInt8]) -> [[UInt8]] {
        pads(key, 64).map { block in
            compress(
                block, UInt32.self, rounds: 64, start: start.map { UInt32($0 >> 32) },
                constants: constants.map { UInt32($0 >> 32) }, [2, 13, 22, 6, 11, 25], [7, 18, 3, 17, 19, 10])
        }
    }

    /// The same for an HMAC-SHA512.
    static func hmac512(_ key: [UInt8]) -> [[UInt8]] {
        pads(key, 128).map { block in
            compress(
                block, UInt64.self, rounds: 80, start: start, constants: constants,
                [28, 34, 39, 14, 18, 41], [1, 8, 7, 19, 61, 6])
        }
    }

    /// The key mixed with the bytes of RFC 2104, section 2.
    private static func pads(_ key: [UInt8], _ length: Int) -> [[UInt8]] {
        let padded = key + [UInt8](repeating: 0, count: length - key.count)
        return [0x36, 0x5C].map { byte in padded.map { $0 ^ byte } }
    }

    private static func compress<Word: FixedWidthInteger>(
        _ block: [UInt8], _: Word.Type, rounds: Int, start: [Word], constants: [Word], _ sums: [Int], _ schedule: [Int]
    ) -> [UInt8] {
        func rotated(_ word: Word, _ count: Int) -> Word {
            word >> Word(count) | word << Word(Word.bitWidth - count)
        }
        let width = Word.bitWidth / 8
        var words = (0..<16).map { index in
            block[(index * width)..<((index + 1) * width)].reduce(0 as Word) { $0 << 8 | Word($1) }
        }
        for index in 16..<rounds {
            let (old, new) = (words[index - 15], words[index - 2])
            let first = rotated(old, schedule[0]) ^ rotated(old, schedule[1]) ^ (old >> Word(schedule[2]))
            let second = rotated(new, schedule[3]) ^ rotated(new, schedule[4]) ^ (new >> Word(schedule[5]))
            words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
        }
        var state = start
        for index in 0..<rounds {
            let (a, b, c, e, f, g) = (state[0], state[1], state[2], state[4], state[5], state[6])
            let first = rotated(e, sums[3]) ^ rotated(e, sums[4]) ^ rotated(e, sums[5])
            let choice = (e & f) ^ (~e & g)
            let next = state[7] &+ first &+ choice &+ constants[index] &+ words[index]
            let second = rotated(a, sums[0]) ^ rotated(a, sums[1]) ^ rotated(a, sums[2])
            let majority = (a & b) ^ (a & c) ^ (b & c)
            state = [next &+ second &+ majority, a, b, c, state[3] &+ next, e, f, g]
        }
        return zip(start, state).flatMap { first, second in
            withUnsafeBytes(of: first &+ second) { Array($0) }
        }
    }

    /// The first 64 bits of the fractions of the square roots of the first 8 primes; SHA-256 has their upper halves.
    private static let start: [UInt64] = [
        0x6a09e667_f3bcc908, 0xbb67ae85_84caa73b, 0x3c6ef372_fe94f82b, 0xa54ff53a_5f1d36f1,
        0x510e527f_ade682d1, 0x9b05688c_2b3e6c1f, 0x1f83d9ab_fb41bd6b, 0x5be0cd19_137e2179,
    ]

    /// The same for the cube roots of the first 80 primes, of which SHA-256 has 64.
    private static let constants: [UInt64] = [
        0x428a2f98_d728ae22, 0x71374491_23ef65cd, 0xb5c0fbcf_ec4d3b2f, 0xe9b5dba5_8189dbbc, 0x3956c25b_f348b538,
        0x59f111f1_b605d019, 0x923f82a4_af194f9b, 0xab1c5ed5_da6d8118, 0xd807aa98_a3030242, 0x12835b01_45706fbe,
        0x243185be_4ee4b28c, 0x550c7dc3_d5ffb4e2, 0x72be5d74_f27b896f, 0x80deb1fe_3b1696b1, 0x9bdc06a7_25c71235,
        0xc19bf174_cf692694, 0xe49b69c1_9ef14ad2, 0xefbe4786_384f25e3, 0x0fc19dc6_8b8cd5b5, 0x240ca1cc_77ac9c65,
        0x2de92c6f_592b0275, 0x4a7484aa_6ea6e483, 0x5cb0a9dc_bd41fbd4, 0x76f988da_831153b5, 0x983e5152_ee66dfab,
        0xa831c66d_2db43210, 0xb00327c8_98fb213f, 0xbf597fc7_beef0ee4, 0xc6e00bf3_3da88fc2, 0xd5a79147_930aa725,
        0x06ca6351_e003826f, 0x14292967_0a0e6e70, 0x27b70a85_46d22ffc, 0x2e1b2138_5c26c926, 0x4d2c6dfc_5ac42aed,
        0x53380d13_9d95b3df, 0x650a7354_8baf63de, 0x766a0abb_3c77b2a8, 0x81c2c92e_47edaee6, 0x92722c85_1482353b,
        0xa2bfe8a1_4cf10364, 0xa81a664b_bc423001, 0xc24b8b70_d0f89791, 0xc76c51a3_0654be30, 0xd192e819_d6ef5218,
        0xd6990624_5565a910, 0xf40e3585_5771202a, 0x106aa070_32bbd1b8, 0x19a4c116_b8d2d0c8, 0x1e376c08_5141ab53,
        0x2748774c_df8eeb99, 0x34b0bcb5_e19b48a8, 0x391c0cb3_c5c95a63, 0x4ed8aa4a_e3418acb, 0x5b9cca4f_7763e373,
        0x682e6ff3_d6b2b8a3, 0x748f82ee_5defb2fc, 0x78a5636f_43172f60, 0x84c87814_a1f0ab72, 0x8cc70208_1a6439ec,
        0x90befffa_23631e28, 0xa4506ceb_de82bde9, 0xbef9a3f7_b2c67915, 0xc67178f2_e372532b, 0xca273ece_ea26619c,
        0xd186b8c7_21c0c207, 0xeada7dd6_cde0eb1e, 0xf57d4f7f_ee6ed178, 0x06f067aa_72176fba, 0x0a637dc5_a2c898a6,
        0x113f9804_bef90dae, 0x1b710b35_131c471b, 0x28db77f5_23047d84, 0x32caab7b_40c72493, 0x3c9ebe0a_15c9bebc,
        0x431d67c4_9c100d4c, 0x4cc5d4be_cb3e42b6, 0x597f299c_fc657e2a, 0x5fcb6fab_3ad6faec, 0x6c44198c_4a475817,
    ]
}
