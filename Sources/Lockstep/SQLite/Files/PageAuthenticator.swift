/// Checks pages as SQLCipher does, without SQLCipher: to distinguish a damaged page from a wrong key, and to
/// check a whole file without trusting any page.
///
/// By default, the MAC key is PBKDF2(key, salt xor 0x3a…, 2 rounds). A page's MAC follows its initialisation vector. It
/// covers everything before it, except what is not encrypted on page 1, and the page's number in little-endian.
struct PageAuthenticator: ~Copyable {
    private let profile: Profile
    private let mac: HMAC

    /// Prepares the check of pages under `key` in a file that starts with `salt`.
    init(
        _ profile: Profile, key: borrowing SecretBytes, salt: [UInt8]
    ) throws(LockstepError) {
        let macSalt = salt.map { $0 ^ profile.saltMask }
        let macKey = try PBKDF2.derive(
            profile.derivation, key.bytes, salt: macSalt.span, rounds: profile.macRounds, count: DatabaseKey.length)
        self.mac = try HMAC(profile.mac ?? profile.derivation, key: macKey.bytes)
        self.profile = profile
    }

    /// Whether `page` was written as page `number` under this key at some time.
    func verifies(_ page: Span<UInt8>, number: UInt32) throws(LockstepError) -> Bool {
        guard profile.authenticates, page.count == profile.pageSize, number > 0,
            profile.firstEncrypted < profile.codeRange.lowerBound
        else { return false }
        let code = try code(of: page, number: number)
        return ConstantTime.equal(code.span, page.extracting(profile.codeRange))
    }

    /// The MAC of a whole page, whatever stands in its place.
    func code(of page: Span<UInt8>, number: UInt32) throws(LockstepError) -> [UInt8] {
        let start = number == 1 ? profile.firstEncrypted : 0
        try mac.update(page.extracting(start..<profile.codeRange.lowerBound))
        let counted = profile.hasBigEndianNumbers ? number.bigEndian : number.littleEndian
        try unsafe withUnsafeBytes(of: counted) { bytes throws(LockstepError) in
            try mac.update(unsafe bytes.bindMemory(to: UInt8.self).span)
        }
        return try mac.finish()
    }
}
