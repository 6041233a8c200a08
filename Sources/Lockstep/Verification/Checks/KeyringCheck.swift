extension VerificationReport.Check {
    /// The keyring's keys are fit for use.
    public static let keyring = Self("keyring") { job in
        job.keyring.map { keyring in .afterwards { KeyringCheck.run(keyring) } }
    }
}

/// The keys in the keyring are fit for use. Opening the keyring has already verified its MAC, and that no one
/// else can read the file.
enum KeyringCheck {
    static func run(
        _ keyring: KeyringSummary
    ) -> (summary: String, findings: [VerificationReport.Finding]) {
        var findings: [VerificationReport.Finding] = []
        for key in keyring.keys where key.state == .compromised {
            findings.append(.failure("\(key.kind.rawValue) key \(key.version) was marked compromised on \(key.since)"))
        }
        for key in keyring.keys where key.kind == .database && key.state == .pending {
            findings.append(.notice("a rotation to database key \(key.version) was not finished: run it again"))
        }
        for slot in keyring.slots {
            if case .passphrase(let logN) = slot.kind, logN < Scrypt.Cost.advisable {
                findings.append(.notice("the slot \(slot.name) is cheap to guess: scrypt with N = 2^\(logN)"))
            }
            if case .environment(let variable) = slot.kind {
                findings.append(.notice("the slot \(slot.name) opens with the environment variable \(variable)"))
            }
        }
        if KeyMemory.gaps.contains(.notLocked) {
            findings.append(.notice("secrets cannot be locked in memory here and can reach swap"))
        }
        return ("epoch \(keyring.epoch), MAC verified", findings)
    }
}
