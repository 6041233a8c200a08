extension Profile {
    /// The PRAGMAs with which SQLCipher reads such a file, in the order in which they apply to SQLCipher 4's defaults.
    var pragmas: [(pragma: SQLCipherSettings.Pragma, value: String)] {
        [
            (.pageSize, "\(pageSize)"), (.rounds, "\(rounds)"), (.derivation, "PBKDF2_HMAC_\(derivation.name)"),
            (.mac, mac.map { "HMAC_\($0.name)" } ?? "none"),
            (.usesMAC, mac == nil ? "OFF" : "ON"),
            (.plaintextHeader, "\(plaintextHeader)"), (.pageNumbers, hasBigEndianNumbers ? "be" : "le"),
            (.saltMask, "x'\(Hex.encode([saltMask]))'"), (.macRounds, "\(macRounds)"),
        ]
    }

    /// The settings that differ from another profile's, without those that have no effect.
    func differences(
        from other: Profile, derives: Bool
    ) -> [(pragma: SQLCipherSettings.Pragma, value: String, counterpart: String)] {
        zip(pragmas, other.pragmas).compactMap { mine, others in
            guard mine.value != others.value else { return nil }
            switch mine.pragma {
            case .rounds where !derives: return nil
            case .derivation where !derives && mac == nil: return nil
            // Whether there is a MAC is the other setting's matter.
            case .mac where mac == nil || other.mac == nil: return nil
            case .pageNumbers, .saltMask, .macRounds:
                if mac == nil { return nil }
            default: break
            }
            return (mine.pragma, mine.value, others.value)
        }
    }

    /// The text for ``SQLCipherSettings`` that describes such a file; empty for SQLCipher 4's defaults.
    func settings(derives: Bool) -> String {
        differences(from: .current, derives: derives)
            .map { "\($0.pragma.rawValue) = \($0.value)" }.joined(separator: "; ")
    }
}
