extension KeyringDocument {
    /// The formats of keyrings. All are read; the second is no longer written.
    enum Format: Int, Sendable, CaseIterable, Comparable {
        /// Slots and keys.
        case first = 1
        /// With former rings and databases.
        case second
        /// With what databases have recorded of the keyring, with their paths, and with all that describes a sealed
        /// column.
        case third

        /// The first line.
        var magic: String { "lockstep-keyring/\(rawValue)" }

        /// The maximum size of a file in bytes.
        var largestFile: Int {
            switch self {
            case .first: 262_144
            case .second: 1_048_576
            case .third: 4_194_304
            }
        }

        static func < (one: Format, other: Format) -> Bool {
            one.rawValue < other.rawValue
        }
    }
}
