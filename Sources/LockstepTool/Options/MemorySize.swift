import ArgumentParser

/// A size in bytes as options accept it: a whole number, alone or with K, M or G for powers of 1024.
enum MemorySize {
    private static let units: [String: Int] = [  // exact: units of the source
        "": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30,
    ]

    /// - Throws: `ValidationError` if the text is not a valid size, or is too large for any machine.
    static func bytes(_ text: String) throws -> Int {
        let digits = text.prefix { ("0"..."9").contains($0) }
        // Nine digits of G do not overflow.
        guard let unit = units[text.dropFirst(digits.count).uppercased()],
            let number = Int(digits), digits.utf8.count <= (unit == 1 ? 18 : 9), number > 0
        else {
            throw ValidationError(
                "expected a number of bytes, 1 or more, alone or with K, M or G, such as 512M")
        }
        return number * unit
    }
}
