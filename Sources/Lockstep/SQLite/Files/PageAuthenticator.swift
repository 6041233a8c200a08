/// Checks pages as SQLCipher does, without SQLCipher: to distinguish a damaged page from a wrong key, and to
/// check a whole file without trusting any page.
///
/// The MAC key is PBKDF2(key, salt xor 0x3a…, 2 rounds). A page's MAC follows its initialisation vector. It
/// covers everything before it, except the salt on page 1, and the page's number in little-endian.
struct PageAuthenticator: ~Copyable {
    private let profile: Profile
    private let mac: HMAC

    /// Prepares the check of pages under `key` in a file that starts with `salt`.
    init(
        _ profile: Profile, key: borrowing SecretBytes, salt: [UInt8]
    ) throws(LockstepError) {
        let macSalt = salt.map { $0 ^ 0x3A }
        let macKey = try PBKDF2.derive(
            profile.hash, key.bytes, salt: macSalt.span, rounds: 2, count: DatabaseKey.length)
        self.mac = try HMAC(profile.hash, key: macKey.bytes)
        self.profile = profile
    }

    /// Whether `page` was written as page `number` under this key at some time.
    func verifies(_ page: Span<UInt8>, number: UInt32) throws(LockstepError) -> Bool {
        guard page.count == profile.pageSize, number > 0 else { return false }
        let start = number == 1 ? DatabaseKey.saltLength : 0
        let end = profile.pageSize - profile.reserve + Profile.vectorLength
        try mac.update(page.extracting(start..<end))
        try unsafe withUnsafeBytes(of: number.littleEndian) { bytes throws(LockstepError) in
            try mac.update(unsafe bytes.bindMemory(to: UInt8.self).span)
        }
        let code = try mac.finish()
        return ConstantTime.equal(code.span, page.extracting(end..<(end + code.count)))
    }
}
