internal import SystemPackage

/// The settings under which a key opens a SQLCipher file of another program.
struct ForeignSettings {
    let profile: Profile
    let salt: [UInt8]
    /// Whether they are those of a version of SQLCipher.
    var isDefault: Bool { Profile.defaults.contains(profile) }

    /// Finds the settings, those that are given or, without, the defaults of each version and the usual changes to
    /// them.
    /// - Parameter isDamaged: Whether page 1 need not verify, if another page does.
    /// - Throws: ``LockstepError/Code/otherSettings`` if the key fits, but not with the settings that are given;
    ///   ``LockstepError/Code/wrongKey`` if it fits with none; ``LockstepError/Code/damaged`` if page 1 alone fails.
    static func find(
        _ path: FilePath, _ key: ForeignKey, given: SQLCipherSettings?,
        isDamaged: Bool = false
    ) throws -> ForeignSettings {
        let file = try DatabaseFile(path)
        if let obvious = try Diagnosis.recognize(file), obvious != .plaintextHeader, !isShort(obvious) {
            throw obvious.error(path) ?? doesNotFit(path, key, given)
        }
        let search = try SettingsSearch(file, key, given)
        func checked(_ found: ForeignSettings) throws -> ForeignSettings {
            guard let given else { return found }
            throw differs(path, key, found, given)
        }
        let wanted = given.map { [$0.profile] } ?? Profile.defaults
        for profile in wanted {
            guard search.mayHave(profile), let salt = search.salt(for: profile) else { continue }
            let secret = try key.secret(profile, salt: salt)
            guard profile.authenticates else {
                guard try KeyEvidence.fits(file, profile, secret, salt: salt) else { continue }
                return ForeignSettings(profile: profile, salt: salt)
            }
            switch try KeyEvidence.firstVerifying(file, profile, secret, salt: salt) {
            case 1: return ForeignSettings(profile: profile, salt: salt)
            case .some where isDamaged: return ForeignSettings(profile: profile, salt: salt)
            case .some:
                // A wrong size of the plaintext header concerns page 1 alone.
                if let found = try search.run(page: 1) { return try checked(found) }
                throw Diagnosis.firstPageDamaged(saltDestroyed: false).error(path) ?? doesNotFit(path, key, given)
            case nil: break
            }
        }
        guard let found = try search.run(page: 1) ?? search.run(page: 2) else {
            if search.needsSalt { throw lacksSalt(path, given) }
            throw doesNotFit(path, key, given)
        }
        return try checked(found)
    }

    /// Too short for SQLCipher 4, but not for earlier versions.
    private static func isShort(_ diagnosis: Diagnosis) -> Bool {
        if case .truncated(let bytes) = diagnosis {
            bytes.isMultiple(of: Profile.older[0].pageSize)
        } else {
            false
        }
    }

    // MARK: Errors

    private static func doesNotFit(
        _ path: FilePath, _ key: ForeignKey, _ given: SQLCipherSettings?
    ) -> LockstepError {
        let tried =
            given == nil
            ? "" : " with these settings, nor with those of SQLCipher 1, 2, 3 or 4"
        let derivation: LockstepError.Advice =
            key.isDerived
            ? """
            check the passphrase; if the program that made the file sets kdf_iter or cipher_kdf_algorithm, use \
            \(.sourceSettings("its values"))
            """ : "check that the key is this file's"
        return LockstepError(
            .wrongKey, "the \(key.name) does not fit \(path)\(tried)", advice: derivation, context: .file(path))
    }

    private static func lacksSalt(
        _ path: FilePath, _ given: SQLCipherSettings?
    ) -> LockstepError {
        LockstepError(
            .otherSettings,
            "\(path) has a plaintext header, so that its salt is not in the file",
            advice: """
                the program that made it keeps the salt: use \
                \(.sourceSettings("cipher_plaintext_header_size = 32; cipher_salt = x'…'")), or a raw key of 96 digits
                """, context: .file(path))
    }

    private static func differs(
        _ path: FilePath, _ key: ForeignKey, _ found: ForeignSettings, _ given: SQLCipherSettings
    ) -> LockstepError {
        var wrong = found.profile.differences(from: given.profile, derives: key.isDerived).map {
            "\($0.pragma.rawValue) is \($0.value), not \($0.counterpart)"
        }
        if wrong.isEmpty { wrong = ["cipher_salt is x'\(Hex.encode(found.salt))'"] }
        let right = found.profile.settings(derives: key.isDerived)
        return LockstepError(
            .otherSettings,
            "the \(key.name) fits \(path), but not with these settings: " + wrong.joined(separator: "; "),
            advice: right.isEmpty
                ? "leave the settings out" : "use \(.sourceSettings(right))",
            context: .file(path))
    }
}
