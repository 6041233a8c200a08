/// The raw key of a SQLCipher file that another program made: 64 hexadecimal digits, or 96 of which the last 32 are the
/// file's salt. Nothing is derived from it.
public struct RawKey: ~Copyable, Sendable {
    /// Digits of a key alone.
    static let shortLength = 2 * DatabaseKey.length
    /// Digits of a key with its salt.
    static let longLength = 2 * (DatabaseKey.length + DatabaseKey.saltLength)

    let secret: SecretBytes
    /// The file's salt, which is not secret; nil if the key does not include it.
    let salt: [UInt8]?

    /// Reads a raw key from its text: the digits, in SQLCipher's form `x'…'` or alone. Quotation marks around it and
    /// white space at its ends do not count.
    /// - Parameter text: The text, as bytes of ASCII.
    /// - Throws: ``LockstepError/Code/secretUnsuitable`` for any other text;
    ///   ``LockstepError/Code/secureMemoryExhausted``.
    public init(_ text: borrowing SecretBytes) throws(LockstepError) {
        let bytes = text.bytes
        let (range, _) = Self.inner(bytes)
        guard range.count == Self.shortLength || range.count == Self.longLength else {
            throw LockstepError(
                .secretUnsuitable,
                "a raw key has \(Self.shortLength) hexadecimal digits, or \(Self.longLength) with its salt, not "
                    + counted(range.count, "character"), hint: Self.form)
        }
        var secret = try SecretBytes(zeroed: DatabaseKey.length)
        var target = secret.mutableBytes
        var salt: [UInt8] = []
        for index in 0..<(range.count / 2) {
            let place = range.lowerBound + 2 * index
            guard let high = Self.value(bytes[place]), let low = Self.value(bytes[place + 1]) else {
                throw LockstepError(
                    .secretUnsuitable,
                    "the raw key has something other than hexadecimal digits", hint: Self.form)
            }
            if index < DatabaseKey.length {
                target[index] = high << 4 | low
            } else {
                salt.append(high << 4 | low)
            }
        }
        self.secret = secret
        self.salt = salt.isEmpty ? nil : salt
    }

    private init(secret: consuming SecretBytes, salt: [UInt8]?) {
        self.secret = secret
        self.salt = salt
    }

    /// A copy in its own secure memory.
    /// - Throws: ``LockstepError/Code/secureMemoryExhausted``.
    public borrowing func clone() throws(LockstepError) -> RawKey {
        RawKey(secret: try secret.clone(), salt: salt)
    }

    /// Whether SQLCipher would take `text` for a raw key and not for a passphrase: it has the form `x'…'` and the right
    /// length.
    public static func isRawKey(_ text: borrowing SecretBytes) -> Bool {
        let (range, isMarked) = inner(text.bytes)
        return isMarked && (range.count == shortLength || range.count == longLength)
    }

    private static let form = "write it as x'…', the way `PRAGMA key` takes it, or as digits alone"

    /// The place of the digits, and whether they are marked as `x'…'`.
    private static func inner(_ bytes: Span<UInt8>) -> (Range<Int>, isMarked: Bool) {
        var (start, end) = (0, bytes.count)
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
        while start < end, isBlank(bytes[start]) { start += 1 }
        while start < end, isBlank(bytes[end - 1]) { end -= 1 }
        let quote = UInt8(ascii: "\"")
        if end - start >= 2, bytes[start] == quote, bytes[end - 1] == quote {
            start += 1
            end -= 1
        }
        let apostrophe = UInt8(ascii: "'")
        guard end - start >= 3, bytes[start] | 0x20 == UInt8(ascii: "x"),
            bytes[start + 1] == apostrophe, bytes[end - 1] == apostrophe
        else { return (start..<end, false) }
        return ((start + 2)..<(end - 1), true)
    }

    /// The value of a digit, without a table lookup that depends on a secret.
    private static func value(_ digit: UInt8) -> UInt8? {
        let letter = digit | 0x20
        if digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") { return digit & 0x0F }
        if letter >= UInt8(ascii: "a"), letter <= UInt8(ascii: "f") { return letter - 87 }
        return nil
    }
}
