/// The settings of a SQLCipher file that its program changed, as it sets them: with SQLCipher's PRAGMAs.
///
/// As in a session of the sqlcipher shell, they start from the defaults of SQLCipher 4 and apply in their order, so
/// that `cipher_compatibility` sets back most of those before it.
public struct SQLCipherSettings: Sendable, Hashable, CustomStringConvertible {
    /// One setting.
    enum Pragma: String, CaseIterable {
        case compatibility = "cipher_compatibility"
        case pageSize = "cipher_page_size"
        case rounds = "kdf_iter"
        case derivation = "cipher_kdf_algorithm"
        case usesMAC = "cipher_use_hmac"
        case mac = "cipher_hmac_algorithm"
        case plaintextHeader = "cipher_plaintext_header_size"
        case salt = "cipher_salt"
        case pageNumbers = "cipher_hmac_pgno"
        case saltMask = "cipher_hmac_salt_mask"
        case macRounds = "fast_kdf_iter"
    }

    private struct PragmaValue: Hashable {
        let pragma: Pragma
        let value: String
    }

    /// What settings come to. SQLCipher remembers the algorithm of MACs also while there are none.
    private struct State {
        var profile = Profile.current
        var mac = HashFunction.sha512
        var salt: [UInt8]?
    }

    private let assignments: [PragmaValue]
    /// SQLCipher 4's profile with these settings.
    let profile: Profile
    /// The salt, if it is given.
    let salt: [UInt8]?

    /// Whether both say the same in the same order.
    public static func == (one: SQLCipherSettings, other: SQLCipherSettings) -> Bool {
        one.assignments == other.assignments
    }

    /// Hashes the settings in their order.
    public func hash(into hasher: inout Hasher) { hasher.combine(assignments) }

    /// Reads settings from text: `PRAGMA name = value`, or without the word PRAGMA, separated by semicolons, commas or
    /// line breaks. What `PRAGMA cipher_settings` prints is such a text.
    /// - Parameter text: The settings. The names are those of SQLCipher: `cipher_compatibility`, `cipher_page_size`,
    ///   `kdf_iter`, `cipher_kdf_algorithm`, `cipher_use_hmac`, `cipher_hmac_algorithm`,
    ///   `cipher_plaintext_header_size`, `cipher_salt`, `cipher_hmac_pgno`, `cipher_hmac_salt_mask`, `fast_kdf_iter`.
    /// - Throws: ``LockstepError/Code/misuse`` for an unknown name or a value that the setting cannot have.
    public init(_ text: String) throws(LockstepError) {
        var assignments: [PragmaValue] = []
        var state = State()
        for part in text.split(whereSeparator: { ";,".contains($0) || $0.isNewline }) {
            guard let assignment = try Self.assignment(part) else { continue }
            guard Self.apply(assignment, to: &state) else {
                throw LockstepError(
                    .misuse, "\(assignment.pragma.rawValue) cannot be \(assignment.value)",
                    hint: Self.values(assignment.pragma))
            }
            assignments.append(assignment)
        }
        guard !assignments.isEmpty else {
            throw LockstepError(.misuse, "there are no settings", hint: Self.form)
        }
        self.assignments = assignments
        (profile, salt) = (state.profile, state.salt)
    }

    /// The settings in the order in which they apply.
    public var description: String {
        assignments.map { "\($0.pragma.rawValue) = \($0.value)" }.joined(separator: "; ")
    }

    // MARK: Reading

    private static let form =
        "write them as `kdf_iter = 64000; cipher_page_size = 1024`, with the names of SQLCipher's PRAGMAs"

    private static func assignment(_ part: Substring) throws(LockstepError) -> PragmaValue? {
        var words = part.lowercased().split { $0.isWhitespace || $0 == "=" }.map(String.init)
        if words.first == "pragma" { words.removeFirst() }
        guard let name = words.first else { return nil }
        guard let pragma = Pragma(rawValue: name) else {
            let known = Pragma.allCases.map(\.rawValue).joined(separator: ", ")
            throw LockstepError(.misuse, "SQLCipher has no setting `\(name)` of a file", hint: "it has \(known)")
        }
        guard words.count == 2 else {
            throw LockstepError(.misuse, "`\(name)` has no value", hint: form)
        }
        return PragmaValue(pragma: pragma, value: words[1].trimmingCharacters { $0 == "\"" }.normalized(for: pragma))
    }

    private static func apply(_ assignment: PragmaValue, to state: inout State) -> Bool {
        let (value, number) = (assignment.value, Int(assignment.value))
        switch assignment.pragma {
        case .compatibility: return apply(version: number, to: &state)
        case .pageSize:
            guard let number, Profile.pageSizes.contains(number) else { return false }
            state.profile.pageSize = number
        case .rounds:
            guard let number, rounds.contains(number) else { return false }
            state.profile.rounds = number
        case .macRounds:
            guard let number, rounds.contains(number) else { return false }
            state.profile.macRounds = number
        case .derivation:
            guard let hash = HashFunction(settingOf: value, "pbkdf2_hmac_") else { return false }
            state.profile.derivation = hash
        case .mac:
            guard let hash = HashFunction(settingOf: value, "hmac_") else { return false }
            state.mac = hash
            if state.profile.authenticates { state.profile.mac = hash }
        case .usesMAC:
            guard let isOn = flag(value) else { return false }
            state.profile.mac = isOn ? state.mac : nil
        case .plaintextHeader:
            guard let number, (0...headerLimit).contains(number), number % 16 == 0 else {
                return false
            }
            state.profile.plaintextHeader = number
        case .salt:
            guard let bytes = bytes(value), bytes.count == DatabaseKey.saltLength else {
                return false
            }
            state.salt = bytes
        case .pageNumbers:
            guard ["le", "be", "native"].contains(value) else { return false }
            let isNativeBig = Int(bigEndian: 1) == 1
            state.profile.hasBigEndianNumbers = value == "be" || (value == "native" && isNativeBig)
        case .saltMask:
            guard let bytes = bytes(value), bytes.count == 1 else { return false }
            state.profile.saltMask = bytes[0]
        }
        return true
    }

    private static let rounds = 1...Int(Int32.max)
    /// What a page of the greatest size has room for.
    private static let headerLimit = 65_536 - Profile.current.reserve

    /// Sets what the version sets; it leaves the other settings as they are.
    private static func apply(version: Int?, to state: inout State) -> Bool {
        guard let found = Profile.defaults.first(where: { $0.version == version }) else {
            return false
        }
        state.profile.version = found.version
        (state.profile.pageSize, state.profile.rounds) = (found.pageSize, found.rounds)
        (state.profile.derivation, state.profile.mac) = (found.derivation, found.mac)
        state.mac = found.mac ?? .sha1
        return true
    }

    private static func flag(_ text: String) -> Bool? {
        switch text {
        case "on", "1", "yes", "true": true
        case "off", "0", "no", "false": false
        default: nil
        }
    }

    /// The bytes of `x'…'` or of digits alone.
    private static func bytes(_ text: String) -> [UInt8]? {
        Hex.decode(text.rest(after: "x'")?.rest(before: "'") ?? text[...])
    }

    private static func values(_ pragma: Pragma) -> String {
        switch pragma {
        case .compatibility: "it is 1, 2, 3 or 4"
        case .pageSize: "it is a power of two from 512 to 65536"
        case .rounds, .macRounds: "it is a number from 1 to \(Int32.max)"
        case .derivation: "it is PBKDF2_HMAC_SHA1, PBKDF2_HMAC_SHA256 or PBKDF2_HMAC_SHA512"
        case .mac:
            "it is HMAC_SHA1, HMAC_SHA256 or HMAC_SHA512; for none, set cipher_use_hmac = OFF"
        case .usesMAC: "it is ON or OFF"
        case .plaintextHeader: "it is a multiple of 16; SQLCipher's documentation proposes 32"
        case .salt: "it is x'…' with 32 hexadecimal digits"
        case .pageNumbers: "it is le, be or native"
        case .saltMask: "it is x'…' with 2 hexadecimal digits, such as x'3a'"
        }
    }
}

extension String {
    fileprivate func trimmingCharacters(_ isOuter: (Character) -> Bool) -> String {
        var rest = self[...]
        while let first = rest.first, isOuter(first) { rest.removeFirst() }
        while let last = rest.last, isOuter(last) { rest.removeLast() }
        return String(rest)
    }

    /// The values of algorithms as SQLCipher writes them.
    fileprivate func normalized(for pragma: SQLCipherSettings.Pragma) -> String {
        let name = trimmingCharacters { $0 == "'" }
        return switch pragma {
        case .mac, .derivation: name.asciiUppercased
        case .salt, .saltMask: self
        default: name
        }
    }
}

extension HashFunction {
    fileprivate init?(settingOf value: String, _ prefix: String) {
        switch value.asciiLowercased {
        case prefix + "sha1": self = .sha1
        case prefix + "sha256": self = .sha256
        case prefix + "sha512": self = .sha512
        default: return nil
        }
    }
}
