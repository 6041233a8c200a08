@testable public import Lockstep

/// The keys of a dataset that both a test and the program that it kills know.
public enum VictimKeys {
    /// Versions 1 and 2, of which one is active.
    public static func make(active: UInt32) throws -> FieldKeys {
        var keys: [UInt32: FieldKeys.Key] = [:]
        for version: UInt32 in 1...active {
            keys[version] = try key(UInt8(version), version == active ? .active : .retired)
        }
        return FieldKeys(
            dataset: [UInt8](repeating: 0xDA, count: 16), name: "test", active: active, keys: keys,
            index: FieldKeys.Versions(active: 1, keys: [1: try key(0x11, .active)]))
    }

    private static func key(_ byte: UInt8, _ state: KeyState) throws -> FieldKeys.Key {
        FieldKeys.Key(
            state: state, commitment: [UInt8](repeating: byte, count: 32),
            secret: SharedSecret(
                try SecretBytes(copying: [UInt8](repeating: byte, count: 32).span)))
    }
}
