/// The plaintext of one page, without the reserve at its end; wiped when it is freed.
final class DecryptedPage {
    let number: UInt32
    /// Whether a newer version of the page exists, or existed, that cannot be read.
    let isOutdated: Bool
    private(set) var bytes: [UInt8]

    init(_ number: UInt32, _ bytes: [UInt8], isOutdated: Bool) {
        self.number = number
        self.bytes = bytes
        self.isOutdated = isOutdated
    }

    deinit {
        _ = unsafe bytes.withUnsafeMutableBytes {
            unsafe $0.initializeMemory(as: UInt8.self, repeating: 0)
        }
    }

    /// The bytes of a page that SQLite uses: 4096 without the initialisation vector and the MAC.
    static let usableSize = Profile.current.pageSize - Profile.current.reserve

    /// A four-byte number, big-endian like all of SQLite's; 0 beyond the page's end.
    func word(at offset: Int) -> UInt32 {
        guard offset >= 0, offset + 4 <= bytes.count else { return 0 }
        return bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
