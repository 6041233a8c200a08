/// A kind of slot. Its file specifies its header line and its secret, and holds all that differs between kinds: to add
/// one, add its file, its case and its place in ``KeyringSlot/kinds`` below, and its rows in Keys/README.md.
protocol SlotKind: Sendable {
    /// The type in the header line.
    static var type: String { get }
    /// How many fields follow the slot's name.
    static var fieldCount: ClosedRange<Int> { get }
    /// The length of the body in bytes; nil for any.
    static var bodyLength: Int? { get }

    /// Parses the header line.
    init(_ header: SlotHeader) throws(LockstepError)

    /// The fields that follow the slot's name.
    var fields: [String] { get }
    /// The credential that opens the slot, for programs.
    var description: SlotDescription.Kind { get }
    /// The credential that opens the slot, as a list shows it.
    var opensWith: String { get }
    /// The requirement for opening the slot, for a hint.
    var requirement: LockstepError.Advice { get }
    /// The N of scrypt for a passphrase that is tried on the slot; 0 if the slot takes none.
    var passphraseCost: Int { get }

    /// The wrap that `credential` yields; nil if the slot is not the credential's.
    /// - Parameter info: The slot's part of the derivation: see ``SlotWrap``.
    func wrap(
        _ credential: borrowing Credential, _ info: [UInt8]
    ) throws(LockstepError) -> SlotWrap?

    /// The wrap of a passphrase as typed; nil if that is no other one.
    func wrapAsTyped(
        _ credential: borrowing Credential, _ info: [UInt8]
    ) throws(LockstepError) -> SlotWrap?
}

extension SlotKind {
    static var bodyLength: Int? { SlotWrap.bodyLength }
    var passphraseCost: Int { 0 }

    func wrapAsTyped(_: borrowing Credential, _: [UInt8]) throws(LockstepError) -> SlotWrap? { nil }

    /// The header line of a slot with this name.
    func header(_ name: String) -> String {
        "-> \(Self.type) \(name) \(fields.joined(separator: " "))"
    }
}

extension KeyringSlot {
    /// The kinds that this version opens.
    static let kinds: [any SlotKind.Type] = [
        PassphraseSlot.self, KeyFileSlot.self, EnvironmentSlot.self, CommandSlot.self,
        IdentitySlot.self, PluginSlot.self,
    ]
}

extension SlotDescription {
    /// The credential that a slot requires.
    public enum Kind: Sendable, Hashable {
        /// A passphrase, stretched with N = 2^logN.
        case passphrase(logN: Int)
        /// A key file.
        case keyFile
        /// The environment variable with this name.
        case environment(variable: String)
        /// The output of a command that the reader chooses.
        case command
        /// An identity, whose recipient has this tag: the first 8 bytes of SHA-256 over its public key.
        case identity(tag: [UInt8])
        /// The file key that the age plugin with this name unwraps from `stanza`: see ``Plugin/credential(for:with:)``.
        case plugin(PluginName, stanza: PluginStanza)
        /// A type that this version cannot open.
        case other(type: String)
    }
}
