/// One way to the ring key: the content of a slot in a keyring.
struct KeyringSlot: Sendable, Equatable {
    /// The exact header line.
    let header: String
    let name: String
    let kind: Kind
    let body: [UInt8]

    enum Kind: Sendable, Equatable {
        case scrypt(salt: [UInt8], cost: Scrypt.Cost)
        case keyFile(salt: [UInt8])
        case environment(variable: String, salt: [UInt8])
        case command(salt: [UInt8])
        case x25519(share: [UInt8], tag: [UInt8])
        case plugin(PluginName, salt: [UInt8], stanza: PluginStanza)
        /// A type that this version cannot open and preserves unchanged.
        case other(type: String)
    }

    static func isVariableName(_ text: some StringProtocol) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.enumerated().allSatisfy { index, byte in
                let scalar = Unicode.Scalar(byte)
                return ("A"..."Z").contains(scalar) || ("a"..."z").contains(scalar) || scalar == "_"
                    || (index > 0 && ("0"..."9").contains(scalar))
            }
    }
}
