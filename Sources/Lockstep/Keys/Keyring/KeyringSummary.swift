public import SystemPackage

/// The content of a keyring that can be read without opening it.
public struct KeyringSummary: Sendable {
    /// The kind of access that it gives.
    public let purpose: KeyringPurpose
    /// How many times it has been written.
    public let epoch: UInt64
    /// Its ring.
    public let ring: RingID
    /// The 16-byte identifier of its database or dataset.
    public let subjectID: [UInt8]
    /// The ways to open it.
    public let slots: [SlotDescription]
    /// Its keys.
    public let keys: [Key]
    /// The databases that it records, in the order of their identities.
    public let databases: [Database]
    /// The publisher named in its signature. The signature is verified when the keyring is opened.
    public let publisher: Publisher?

    /// A key, without its material.
    public struct Key: Sendable, Hashable {
        /// Its purpose.
        public let kind: KeyKind
        /// Its version, 1 or more.
        public let version: UInt32
        /// Its state.
        public let state: KeyState
        /// The day of the last state change, in UTC.
        public let since: CalendarDay
    }

    /// A database that the keyring records.
    public struct Database: Sendable, Hashable {
        /// Its identity, 16 bytes.
        public let identity: [UInt8]
        /// The version of the database key that it was last seen under; nil in a fields keyring, which remembers the
        /// database's sealed columns.
        public let keyVersion: UInt32?
        /// Where a database keyring saw it last, relative to the keyring's folder or absolute; nil if it does not know,
        /// and in a fields keyring.
        public let path: FilePath?
        /// Whether it is known to have existed: false in a database keyring while it is being made, and after a
        /// creation that was interrupted.
        public let isMade: Bool
        /// In a fields keyring, whether something was sealed in it.
        public let isSealed: Bool
    }

    init(_ document: KeyringDocument) {
        purpose = document.purpose
        epoch = document.epoch
        ring = RingID(document.ringID)
        subjectID = document.subjectID
        slots = document.slots.map(\.description)
        keys = document.keys.map {
            Key(kind: $0.kind, version: $0.version, state: $0.state, since: $0.day)
        }
        databases =
            document.files.map {
                Database(
                    identity: $0.database, keyVersion: $0.keyVersion, path: $0.path,
                    isMade: $0.seen > 0, isSealed: false)
            }
            + document.sealed.map {
                Database(identity: $0.database, keyVersion: nil, path: nil, isMade: true, isSealed: $0.isSealed)
            }
        publisher = document.signature?.publisher
    }
}

extension Keyring {
    /// The keyring's content without key material.
    public var summary: KeyringSummary { KeyringSummary(document) }
}
