/// Tries the settings that programs usually change, on the first two pages of a file.
///
/// Only the rounds of the key derivation cost time, so that the usual numbers alone are tried.
struct SettingsSearch {
    private let key: ForeignKey
    private let given: SQLCipherSettings?
    private let size: Int
    /// The first two pages, whatever their size.
    private let head: [UInt8]
    private let hasMagic: Bool

    init(
        _ file: borrowing DatabaseFile, _ key: ForeignKey, _ given: SQLCipherSettings?
    ) throws {
        (self.key, self.given, size) = (key, given, file.size)
        head = try file.read(at: 0, 2 * 65_536)
        hasMagic = FileHeader(bytes: head).hasMagic
    }

    private var knownSalt: [UInt8]? { key.salt ?? given?.salt }

    /// Whether the salt is neither in the file nor known.
    var needsSalt: Bool { hasMagic && knownSalt == nil }

    /// The salt of a file with this profile; nil if it is not known.
    func salt(for profile: Profile) -> [UInt8]? {
        if let knownSalt { return knownSalt }
        return profile.plaintextHeader > 0 || hasMagic ? nil : Array(head.prefix(16))
    }

    /// Whether the file begins as files with this profile do.
    func mayHave(_ profile: Profile) -> Bool { hasMagic == (profile.plaintextHeader > 0) }

    /// The first settings that the key fits, judged by page 1 or 2; nil for none.
    func run(page: Int) throws -> ForeignSettings? {
        var salts = knownSalt.map { [$0] } ?? []
        if !hasMagic, head.count >= 16 { salts.append(Array(head.prefix(16))) }
        for salt in salts {
            for profile in derivations {
                let secret = try key.secret(profile, salt: salt)
                for profile in try variants(of: profile) {
                    if try fits(profile, secret, salt, page: page) {
                        return ForeignSettings(profile: profile, salt: salt)
                    }
                }
            }
        }
        return nil
    }

    /// A profile for each way to derive the keys.
    private var derivations: [Profile] {
        let base = given?.profile ?? .current
        var found: [Profile] = []
        func add(_ hash: HashFunction, _ rounds: Int, _ macRounds: Int) {
            var profile = base
            (profile.derivation, profile.rounds, profile.macRounds) = (hash, rounds, macRounds)
            if !found.contains(profile) { found.append(profile) }
        }
        for rounds in Set([base.macRounds, 2]).sorted(by: >) {
            add(base.derivation, base.rounds, rounds)
            if key.isDerived {
                for usual in Profile.defaults { add(usual.derivation, usual.rounds, rounds) }
            }
            if !key.isDerived || given != nil {
                for hash in HashFunction.allCases { add(hash, base.rounds, rounds) }
            }
        }
        return found
    }

    /// The same with every other setting that costs no derivation. Those without MACs come last: a page with a long
    /// plaintext header has little to judge them by, and can look right by chance.
    private func variants(of base: Profile) throws -> [Profile] {
        var found: [Profile] = []
        var withoutMACs: [Profile] = []
        let headers = hasMagic ? Set([base.plaintextHeader] + stride(from: 16, through: 112, by: 16)) : [0]
        for header in headers.sorted() where !hasMagic || header > 0 {
            for pageSize in Profile.pageSizes where pageSize <= size && header < pageSize {
                var profile = base
                (profile.plaintextHeader, profile.pageSize) = (header, pageSize)
                profile.mac = nil
                withoutMACs.append(profile)
                for hash in HashFunction.allCases {
                    for mask in Set([base.saltMask, 0x3A, 0]).sorted(by: >) {
                        for isBig in [false, true] {
                            (profile.mac, profile.saltMask) = (hash, mask)
                            profile.hasBigEndianNumbers = isBig
                            found.append(profile)
                        }
                    }
                }
            }
        }
        return found + withoutMACs
    }

    private func fits(
        _ profile: Profile, _ secret: borrowing SecretBytes, _ salt: [UInt8], page number: Int
    ) throws -> Bool {
        guard profile.authenticates else {
            return try number == 1 && KeyEvidence.decrypts(firstPage: head, profile, secret)
        }
        guard head.count >= number * profile.pageSize else { return false }
        let page = head[((number - 1) * profile.pageSize)..<(number * profile.pageSize)]
        return try PageAuthenticator(profile, key: secret, salt: salt)
            .verifies(Array(page).span, number: UInt32(number))
    }
}
