/// Text without differences of case or of composition, by Unicode 15.0: NFC(toCasefold(NFD(text))), the form of
/// definition D145 (canonical caseless matching).
///
/// A text with a scalar that Unicode 15.0 does not assign stays unchanged as a whole. Newer versions of Unicode
/// therefore change nothing, and any library with version 15.0 or later folds alike, by the stability policies of
/// normalisation and case folding.
enum FoldedText {
    /// The folded text's scalars.
    static func scalars(_ text: String) -> [UInt32] {
        let data = UnicodeData.shared
        let scalars = text.unicodeScalars.map(\.value)
        guard scalars.allSatisfy(data.isAssigned) else { return scalars }
        var folded: [UInt32] = []
        folded.reserveCapacity(scalars.count + 8)
        for scalar in decomposed(scalars, data) { data.appendFold(scalar, to: &folded) }
        return composed(decomposed(folded, data), data)
    }

    /// NFD.
    static func decomposed(_ scalars: [UInt32], _ data: UnicodeData) -> [UInt32] {
        var output: [UInt32] = []
        output.reserveCapacity(scalars.count * 2)
        for scalar in scalars { appendDecomposition(scalar, data, to: &output) }
        putInOrder(&output, data)
        return output
    }

    private static func appendDecomposition(_ scalar: UInt32, _ data: UnicodeData, to output: inout [UInt32]) {
        if let parts = Hangul.parts(scalar) {
            output.append(parts.lead)
            output.append(parts.vowel)
            if let tail = parts.tail { output.append(tail) }
        } else if let parts = data.decomposition(scalar) {
            appendDecomposition(parts.first, data, to: &output)
            if parts.second != 0 { appendDecomposition(parts.second, data, to: &output) }
        } else {
            output.append(scalar)
        }
    }

    /// Sorts combining marks by their class, and keeps the order within a class.
    private static func putInOrder(_ scalars: inout [UInt32], _ data: UnicodeData) {
        var index = 0
        while index < scalars.count {
            let start = index
            var last: UInt32 = 0
            var isInOrder = true
            while index < scalars.count {
                let combining = data.combiningClass(scalars[index])
                guard combining != 0 else { break }
                isInOrder = isInOrder && last <= combining
                last = combining
                index += 1
            }
            if !isInOrder { sort(&scalars[start..<index], data) }
            index += 1
        }
    }

    private static func sort(_ marks: inout ArraySlice<UInt32>, _ data: UnicodeData) {
        // The position decides between equal classes. This needs no stable sort, and stays fast for text with a million
        // marks in a row.
        let keys = marks.enumerated().map { UInt64(data.combiningClass($1)) << 48 | UInt64($0) }
        let before = Array(marks)
        for (index, key) in zip(marks.indices, keys.sorted()) {
            marks[index] = before[Int(key & 0xFFFF_FFFF_FFFF)]
        }
    }

    /// The composition step of NFC, on scalars in NFD.
    private static func composed(_ scalars: [UInt32], _ data: UnicodeData) -> [UInt32] {
        var output: [UInt32] = []
        output.reserveCapacity(scalars.count)
        /// The position of the last scalar that combines with nothing before it.
        var starter: Int?
        var lastClass: UInt32 = 0
        for scalar in scalars {
            let combining = data.combiningClass(scalar)
            if let starter, output.count - 1 == starter || lastClass < combining,
                let whole = Hangul.whole(output[starter], scalar) ?? data.composition(output[starter], scalar)
            {
                output[starter] = whole
                continue
            }
            if combining == 0 { starter = output.count }
            lastClass = combining
            output.append(scalar)
        }
        return output
    }
}

/// Hangul syllables, which are composed arithmetically (The Unicode Standard, section 3.12).
private enum Hangul {
    private static let syllable: UInt32 = 0xAC00
    private static let lead: UInt32 = 0x1100
    private static let vowel: UInt32 = 0x1161
    /// One before the first tail; it stands for no tail.
    private static let tail: UInt32 = 0x11A7
    private static let leads: UInt32 = 19
    private static let vowels: UInt32 = 21
    private static let tails: UInt32 = 28

    static func parts(_ scalar: UInt32) -> (lead: UInt32, vowel: UInt32, tail: UInt32?)? {
        guard scalar >= syllable, scalar < syllable + leads * vowels * tails else { return nil }
        let index = scalar - syllable
        return (
            lead + index / (vowels * tails), vowel + index / tails % vowels,
            index % tails == 0 ? nil : tail + index % tails
        )
    }

    static func whole(_ first: UInt32, _ second: UInt32) -> UInt32? {
        if first >= lead, first < lead + leads, second >= vowel, second < vowel + vowels {
            return syllable + ((first - lead) * vowels + second - vowel) * tails
        }
        if first >= syllable, first < syllable + leads * vowels * tails,
            (first - syllable) % tails == 0, second > tail, second < tail + tails
        {
            return first + second - tail
        }
        return nil
    }
}
