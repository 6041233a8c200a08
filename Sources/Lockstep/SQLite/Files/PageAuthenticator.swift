/// Checks pages the way SQLCipher does, without SQLCipher: so that a damaged page can be told from a
/// wrong key, and a whole file be checked without a page being believed.
///
/// The MAC key is PBKDF2(key, salt xor 0x3a…, 2 rounds). A page's MAC, behind its initialisation vector,
/// is over everything before it, without the salt on page 1, and the page's number in little-endian.
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

    /// Whether `page` is what was last written as page `number` under this key, at some time.
    func verifies(_ page: Span<UInt8>, number: UInt32) throws(LockstepError) -> Bool {
        guard page.count == profile.pageSize, number > 0 else { return false }
        let start = number == 1 ? DatabaseKey.saltLength : 0
        let end = profile.pageSize - profile.reserve + Profile.vectorLength
        try mac.update(page.extracting(start..<end))
        let littleEndian = [number, number >> 8, number >> 16, number >> 24]
            .map { UInt8(truncatingIfNeeded: $0) }
        try mac.update(littleEndian.span)
        let code = try mac.finish()
        return ConstantTime.equal(code.span, page.extracting(end..<(end + code.count)))
    }
}
