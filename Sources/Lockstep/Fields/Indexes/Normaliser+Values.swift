extension Normaliser {
    /// Appends the normalised bytes of `value`; returns false and appends nothing if it has no entry.
    /// - Throws: ``LockstepError/Code/misuse`` for a value of a type that the rule does not accept.
    func append(_ value: Value, to bytes: inout [UInt8]) throws(LockstepError) -> Bool {
        try validate()
        switch (self, value) {
        case (_, .null): return false
        case (.exact, .text(let text)): bytes += text.utf8
        case (.exact, .real(let number)):
            guard !number.isNaN else { return false }
            bytes += Self.bytes(number)
        case (.exact, .integer(let number)): bytes += number.bigEndianBytes
        case (.exact, .blob(let blob)): bytes += blob
        case (.lower, .text(let text)):
            bytes += text.utf8.lazy.map { $0.asciiLowercased }
        case (.casefold, .text(let text)): return Self.append(folded: text, to: &bytes)
        case (.digits, .text(let text)):
            let start = bytes.count
            bytes += text.utf8.lazy.filter { $0.isASCIIDigit }
            return bytes.count > start
        case (.email, .text(let text)):
            let scalars = text.unicodeScalars
            guard let start = scalars.firstIndex(where: { !Self.isBlank($0) }),
                let end = scalars.lastIndex(where: { !Self.isBlank($0) })
            else { return false }
            return Self.append(folded: String(scalars[start...end]), to: &bytes)
        case (.prefix(let length), .text(let text)):
            return Self.append(folded: text, first: length, to: &bytes)
        case (.bucket(let width), .integer(let number)):
            bytes += number.floorDivided(by: width).bigEndianBytes
        case (.bucket(let width), .real(let number)):
            guard !number.isNaN else { return false }
            bytes += Self.bytes((number / Double(width)).rounded(.down))
        default:
            throw LockstepError(
                .misuse, "the normaliser \(spelling) does not accept values of the type \(value.tag)",
                hint: "`exact` accepts values of all types")
        }
        return true
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || ("\t"..."\r" as ClosedRange<Unicode.Scalar>).contains(scalar)
    }

    private static func bytes(_ number: Double) -> [UInt8] {
        // 0.0 and −0.0 are equal.
        (number == 0 ? 0 : number).bitPattern.bigEndianBytes
    }

    /// Appends the folded text, or only its first `count` scalars; returns false if it has fewer.
    private static func append(folded text: String, first count: Int? = nil, to bytes: inout [UInt8]) -> Bool {
        // ASCII is always in NFC, and folds to its lowercase letters.
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            guard text.utf8.count >= count ?? 0 else { return false }
            bytes += text.utf8.prefix(count ?? text.utf8.count).lazy.map { $0.asciiLowercased }
            return true
        }
        let folded = FoldedText.scalars(text)
        guard folded.count >= count ?? 0 else { return false }
        for number in folded.prefix(count ?? folded.count) {
            // All numbers are valid scalars: they come from the text or from the tables.
            guard let scalar = Unicode.Scalar(number) else { continue }
            bytes += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
        }
        return true
    }
}
