internal import SystemPackage

/// A few pages of a database file, to find which of many keys it has. Only the file itself is looked at: not its log.
struct FileSample {
    private let salt: [UInt8]
    private let pages: [(number: UInt32, bytes: [UInt8])]

    /// Reads the first, the second, the middle and the last page; nil for a file that has none.
    /// - Throws: Any error of reading the file.
    init?(_ path: FilePath) throws {
        let file = try DatabaseFile(path)
        let size = Profile.current.pageSize
        let count = file.size / size
        guard count > 0 else { return nil }
        salt = try file.read(at: 0, DatabaseKey.saltLength)
        pages = try Set([1, 2, (count + 1) / 2, count]).filter { $0 <= count }.sorted().map { number in
            (UInt32(clamping: number), try file.read(at: (number - 1) * size, size))
        }
    }

    /// Whether the first page, or one of the others, is authentic under what encrypts the file.
    func verifies(first: Bool, _ secret: borrowing SecretBytes) throws -> Bool {
        let authenticator = try PageAuthenticator(.current, key: secret, salt: salt)
        for page in pages where (page.number == 1) == first {
            if try authenticator.verifies(page.bytes.span, number: page.number) { return true }
        }
        return false
    }
}
