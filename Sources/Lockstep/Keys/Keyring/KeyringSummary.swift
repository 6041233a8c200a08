/// What a keyring shows without being opened.
public struct KeyringSummary: Sendable {
    /// What it gives power over.
    public let purpose: KeyringPurpose
    /// How many times it has been written.
    public let epoch: UInt64
    /// The 16-byte identifier of its database or dataset.
    public let subjectID: [UInt8]
    /// The ways to open it.
    public let slots: [SlotDescription]
    /// Its keys.
    public let keys: [Key]
    /// Who says to have signed it; opening the keyring checks that.
    public let publisher: Publisher?

    /// A key, without its material.
    public struct Key: Sendable, Hashable {
        /// What it is for.
        public let kind: KeyKind
        /// Its version, from 1 on.
        public let version: UInt32
        /// Where in its life it stands.
        public let state: KeyState
        /// The day on which the state last changed, in UTC.
        public let since: CalendarDay
    }

    init(_ document: KeyringDocument) {
        purpose = document.purpose
        epoch = document.epoch
        subjectID = document.subjectID
        slots = document.slots.map(\.description)
        keys = document.keys.map {
            Key(kind: $0.kind, version: $0.version, state: $0.state, since: $0.day)
        }
        publisher = document.signature?.publisher
    }
}

extension Keyring {
    /// What the keyring holds, without any material.
    public var summary: KeyringSummary { KeyringSummary(document) }
}
