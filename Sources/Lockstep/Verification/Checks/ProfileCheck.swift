extension VerificationReport.Check {
    /// Page and cipher settings are the required ones.
    public static let profile = Self("profile", isOfFile: true, failure: .tampered) { job in
        .onConnection(.init(isLight: !job.isInMemory, run: ProfileCheck.run))
    }
}

/// Cipher, MAC and page settings are those of every Lockstep file.
enum ProfileCheck {
    static func run(_ connection: borrowing Connection) throws -> CheckResult {
        let settings = try connection.cipherSettings()
        var findings: [VerificationReport.Finding] = []
        for (name, required) in expected {
            let found = settings[name] ?? "absent"
            if found != required {
                findings.append(.failure("\(name) is \(found), but \(required) is required"))
            }
        }
        let mode = try connection.value("PRAGMA main.journal_mode", as: String.self) ?? ""
        if mode != "wal" {
            findings.append(
                .notice("its journal mode is \(mode): it gets a write-ahead log when Lockstep first " + "writes to it"))
        }
        let profile = Profile.current
        return (
            "SQLCipher \(profile.version), pages of \(profile.pageSize) bytes, "
                + "\(profile.reserve) of them for IV and MAC",
            findings
        )
    }

    private static let expected = [
        ("cipher_page_size", "\(Profile.current.pageSize)"), ("page_size", "\(Profile.current.pageSize)"),
        ("reserved bytes", "\(Profile.current.reserve)"),
        ("cipher_use_hmac", "1"),
        ("cipher_hmac_algorithm", "HMAC_SHA512"),
        ("cipher_plaintext_header_size", "0"),
    ]
}
