/// What a passphrase slot costs at each opening, and whoever guesses at each guess: scrypt (RFC 7914) with
/// r = 8 and p = 1. Each power of N takes twice the time and twice the memory, on every machine that opens
/// the slot, the slowest one included.
///
/// | N | memory | time, about |
/// |---|---|---|
/// | 2^16 | 64 MiB | 0.2 s |
/// | 2^17 | 128 MiB | 0.5 s |
/// | 2^18 | 256 MiB | 1 s |
/// | 2^20 | 1 GiB | 4 s |
///
/// A keyring's passphrase slots may cost 2^21 together, 16 standard ones: a passphrase is tried on one after
/// another.
public struct PassphraseCost: Sendable, Hashable {
    private enum Kind: Hashable {
        case power(Int)
        case calibrated(Duration)
    }

    private let kind: Kind

    /// N = 2^17, OWASP's minimum for scrypt (Password Storage Cheat Sheet): 128 MiB, about half a second.
    public static let standard = PassphraseCost(kind: .power(Scrypt.Cost.standard.logN))

    /// N = 2^`logN`, from 16 to 20. With 16 a guess costs half of what OWASP asks for: only where 128 MiB are
    /// not to be had.
    /// - Throws: ``LockstepError/Code/misuse`` for another number.
    public static func power(_ logN: Int) throws(LockstepError) -> PassphraseCost {
        guard Scrypt.Cost.choosable.contains(logN) else {
            throw LockstepError(
                .misuse, "a passphrase slot's N is 2^16 to 2^20, not 2^\(logN)",
                hint: "use the standard, or calibrate it")
        }
        return PassphraseCost(kind: .power(logN))
    }

    /// As much as `target` allows on this machine, from the standard up to N = 2^20, with at most a quarter of
    /// its memory and what the keyring's other slots leave.
    ///
    /// Costs one derivation with N = 2^16 more, about 0.2 s, when the slot is made; a machine that is busy
    /// meanwhile comes out slower than it is. Not for a keyring that slower machines open.
    public static func calibrated(
        for target: Duration = .milliseconds(750)
    ) -> PassphraseCost {
        PassphraseCost(kind: .calibrated(target))
    }

    /// - Parameter most: The greatest N that a calibration may come to.
    func scrypt(within maximum: Int) throws(LockstepError) -> Scrypt.Cost {
        switch kind {
        case .power(let logN):
            Scrypt.Cost(logN: logN, r: Scrypt.Cost.standard.r, p: Scrypt.Cost.standard.p)
        case .calibrated(let target):
            try .calibrated(
                for: target, memory: SystemMemory.bytes, maximum: maximum, measure: Scrypt.Cost.measure)
        }
    }
}
