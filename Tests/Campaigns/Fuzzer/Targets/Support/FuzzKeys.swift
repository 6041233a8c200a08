@testable import Lockstep

/// Keys that are not secret: each is one byte, repeated.
enum FuzzKeys {
    /// Opens the sealed files among the seeds.
    static let identity = "AGE-SECRET-KEY-1XMWWC06LY3EE5RYTXM9MFLAZ2U56JJJ36S0MYPDRWSVLUL66MV4QX3S7F6"

    static let dataset = [UInt8](repeating: 0xDA, count: 16)

    static func secret(_ byte: UInt8, _ count: Int = 32) throws -> SecretBytes {
        try SecretBytes(copying: [UInt8](repeating: byte, count: count).span)
    }

    static func databaseKey() throws -> DatabaseKey {
        try DatabaseKey(secret: secret(0xDB), salt: [UInt8](repeating: 0x5A, count: 16))
    }

    static func credential() throws -> Credential { try .keyFile(secret(0xA5)) }

    /// Field key versions 1 to 3, of which 2 is active and 3 destroyed; index key version 1.
    static func fieldKeys() throws -> FieldKeys {
        let keys: [UInt32: FieldKeys.Key] = [
            1: try key(1, .retired), 2: try key(2, .active), 3: try key(3, .destroyed),
        ]
        return FieldKeys(
            dataset: dataset, name: "films", active: 2, keys: keys,
            index: FieldKeys.Versions(active: 1, keys: [1: try key(0x11, .active)]))
    }

    private static func key(_ byte: UInt8, _ state: KeyState) throws -> FieldKeys.Key {
        FieldKeys.Key(
            state: state, commitment: [UInt8](repeating: byte, count: 32),
            secret: state == .destroyed ? nil : SharedSecret(try secret(byte)))
    }
}
