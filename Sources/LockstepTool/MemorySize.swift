import ArgumentParser

/// A number of bytes as options take it: a whole number, alone or with K, M or G for powers of 1024.
enum MemorySize {
    private static let units: [String: Int] = [
        "": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30,
    ]

    /// - Throws: `ValidationError` for what is no such size, or too large for any machine.
    static func bytes(_ text: String) throws -> Int {
        let digits = text.prefix { ("0"..."9").contains($0) }
        // Nine digits of G are no overflow.
        guard let unit = units[text.dropFirst(digits.count).uppercased()],
            let number = Int(digits), digits.utf8.count <= (unit == 1 ? 18 : 9), number > 0
        else {
            throw ValidationError(
                "a size is a whole number of bytes from 1 on, or one with K, M or G, such as 512M")
        }
        return number * unit
    }
}
