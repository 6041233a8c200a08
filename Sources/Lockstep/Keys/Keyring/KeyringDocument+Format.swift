extension KeyringDocument {
    /// The formats of keyrings. The numbers 2 and 3 were of drafts.
    enum Format: Int, Sendable, CaseIterable, Comparable {
        /// Slots and keys.
        case first = 1
        /// With former rings and databases: with the salts of their files, their paths, what they have recorded of the
        /// keyring, and all that describes a sealed column.
        case fourth = 4

        /// The first line.
        var magic: String { "lockstep-keyring/\(rawValue)" }

        /// The maximum size of a file in bytes.
        var largestFile: Int {
            switch self {
            case .first: 262_144
            case .fourth: 4_194_304
            }
        }

        static func < (one: Format, other: Format) -> Bool {
            one.rawValue < other.rawValue
        }
    }
}
