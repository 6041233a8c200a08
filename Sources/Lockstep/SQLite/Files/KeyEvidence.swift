/// Whether a key fits a SQLCipher file under a profile: checked on the file's bytes, without SQLCipher.
enum KeyEvidence {
    /// The number of the first of up to 32 sampled pages whose MAC verifies.
    static func firstVerifying(
        _ file: borrowing DatabaseFile, _ profile: Profile, _ key: borrowing SecretBytes, salt: [UInt8]
    ) throws -> UInt32? {
        let authenticator = try PageAuthenticator(profile, key: key, salt: salt)
        let logged = profile == .current ? try loggedPages(file, profile, authenticator) : []
        // A first page in the log replaces the one in the file.
        if logged.contains(1) { return 1 }
        let count = file.size / profile.pageSize
        // The first two, the last, and others spread evenly between them.
        let spread = (0..<28).map { 1 + $0 * max(count - 1, 0) / 28 }
        let sample = Set([1, 2, count] + spread).filter { (1...max(count, 1)).contains($0) }
        for number in sample.sorted() {
            let page = try file.read(at: (number - 1) * profile.pageSize, profile.pageSize)
            if try authenticator.verifies(page.span, number: UInt32(clamping: number)) {
                return UInt32(clamping: number)
            }
        }
        return logged.min()
    }

    /// Verified pages of the write-ahead log: the newest copy of page 1, and a few others.
    private static func loggedPages(
        _ file: borrowing DatabaseFile, _ profile: Profile, _ authenticator: borrowing PageAuthenticator
    ) throws -> Set<UInt32> {
        let log = try WriteAheadLog(of: file.path, pageSize: profile.pageSize)
        guard let log else { return [] }
        let frames = try log.committedFrames()
        let sample = Array(frames.prefix(4)) + [frames.last { $0.page == 1 }].compactMap(\.self)
        var verified: Set<UInt32> = []
        for frame in sample {
            let page = try log.page(frame)
            if try authenticator.verifies(page.span, number: frame.page) {
                verified.insert(frame.page)
            }
        }
        return verified
    }

    /// Whether page 1, if it has no MAC, becomes SQLite's header when it is decrypted.
    static func decrypts(
        firstPage page: [UInt8], _ profile: Profile, _ key: borrowing SecretBytes
    ) throws -> Bool {
        guard page.count >= profile.pageSize else { return false }
        let vector = profile.pageSize - profile.reserve
        let start = profile.firstEncrypted
        guard start < vector else { return false }
        // What follows the header has no form of its own.
        let end = min(FileHeader.length + 12, vector)
        var header = Array(page[..<start])
        if profile.plaintextHeader == 0 { header = DatabaseFile.magic }
        if start < end {
            header += try AES256CBC.decrypt(
                page.span.extracting(start..<end), key: key.bytes,
                initialisationVector: page.span.extracting(
                    vector..<(vector + Profile.vectorLength)))
        }
        let found = FileHeader(bytes: header)
        return found.isWhole && found.pageSize == profile.pageSize && found.reserve >= profile.reserve
    }

    /// Whether the key fits under the profile, on any sampled page.
    static func fits(
        _ file: borrowing DatabaseFile, _ profile: Profile, _ key: borrowing SecretBytes,
        salt: [UInt8]
    ) throws -> Bool {
        if profile.authenticates {
            return try firstVerifying(file, profile, key, salt: salt) != nil
        }
        return try decrypts(firstPage: file.read(at: 0, profile.pageSize), profile, key)
    }
}
