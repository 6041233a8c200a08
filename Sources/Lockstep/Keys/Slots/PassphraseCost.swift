/// The cost of a passphrase slot for each opening, and for an attacker each guess: scrypt (RFC 7914) with r = 8 and
/// p = 1. Each power of N doubles time and memory on every machine that opens the slot, including the slowest.
///
/// | N | memory | approximate time |
/// |---|---|---|
/// | 2^16 | 64 MiB | 0.2 s |
/// | 2^17 | 128 MiB | 0.5 s |
/// | 2^18 | 256 MiB | 1 s |
/// | 2^20 | 1 GiB | 4 s |
///
/// The N of a keyring's passphrase slots can add up to 2^21, or 16 standard slots, because a passphrase is tried on one
/// slot after another.
public struct PassphraseCost: Sendable, Hashable {
    private enum Kind: Hashable {
        case power(Int)
        case calibrated(Duration)
    }

    private let kind: Kind

    /// N = 2^17, the OWASP minimum for scrypt (Password Storage Cheat Sheet): 128 MiB, about half a second.
    public static let standard = PassphraseCost(kind: .power(Scrypt.Cost.standard.logN))

    /// N = 2^`logN`, from 16 to 20. With 16, a guess costs half of the OWASP minimum: use it only where 128 MiB are not
    /// available.
    /// - Throws: ``LockstepError/Code/misuse`` for any other number.
    public static func power(_ logN: Int) throws(LockstepError) -> PassphraseCost {
        guard Scrypt.Cost.choosable.contains(logN) else {
            throw LockstepError(
                .misuse, "a passphrase slot's N must be 2^16 to 2^20, not 2^\(logN)",
                hint: "use the standard cost or a calibrated one")
        }
        return PassphraseCost(kind: .power(logN))
    }

    /// The highest cost that takes at most `target` on this machine, from the standard to N = 2^20, within a quarter of
    /// its memory and the limit that the keyring's other slots leave.
    ///
    /// Making the slot takes one additional derivation with N = 2^16, about 0.2 s. On a busy machine, the calibration
    /// yields a lower cost. Do not use it for a keyring that slower machines also open.
    public static func calibrated(
        for target: Duration = .milliseconds(750)
    ) -> PassphraseCost {
        PassphraseCost(kind: .calibrated(target))
    }

    /// - Parameter maximum: The greatest N for a calibration.
    func scrypt(within maximum: Int) throws(LockstepError) -> Scrypt.Cost {
        switch kind {
        case .power(let logN):
            Scrypt.Cost(logN: logN, r: Scrypt.Cost.standard.r, p: Scrypt.Cost.standard.p)
        case .calibrated(let target):
            try .calibrated(for: target, memory: SystemMemory.bytes, maximum: maximum, measure: Scrypt.Cost.measure)
        }
    }
}
