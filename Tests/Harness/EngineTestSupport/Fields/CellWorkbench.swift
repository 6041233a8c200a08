@testable import Lockstep

/// Ciphers under known keys.
enum CellWorkbench {
    static let dataset = [UInt8](0xA0..<0xB0)
    /// The identity of a column.
    static let identity = [UInt8](0xB0..<0xC0)
    /// The field key whose bytes count up from 0.
    static let fieldKey = [UInt8](0..<32)

    /// The index key of version 2, whose bytes count up from 0x20.
    static let indexKey = [UInt8](0x20..<0x40)

    /// Keys of these versions: the given one, and for other versions its bytes XORed with the difference.
    static func keys(
        active: UInt32 = 3, retired: [UInt32] = [], compromised: [UInt32] = [],
        destroyed: [UInt32] = [], dataset: [UInt8] = dataset, named name: String? = nil
    ) throws -> FieldKeys {
        var keys: [UInt32: FieldKeys.Key] = [:]
        func add(_ versions: [UInt32], _ state: KeyState) throws {
            for version in versions {
                let bytes = fieldKey.map { $0 ^ UInt8(truncatingIfNeeded: version &- 3) }
                keys[version] = FieldKeys.Key(
                    state: state, commitment: [UInt8](repeating: 0, count: 32),
                    secret: state == .destroyed ? nil : SharedSecret(try SecretBytes(copying: bytes.span)))
            }
        }
        try add([active], .active)
        try add(retired, .retired)
        try add(compromised, .compromised)
        try add(destroyed, .destroyed)
        return FieldKeys(dataset: dataset, name: name, active: active, keys: keys, index: try indexKeys())
    }

    /// Index keys: version 2 is active, 1 retired, 4 compromised, 3 destroyed.
    static func indexKeys() throws -> FieldKeys.Versions {
        var keys: [UInt32: FieldKeys.Key] = [:]
        let states: [KeyState] = [.retired, .active, .destroyed, .compromised]
        for (version, state) in zip(UInt32(1)..., states) {
            let bytes = indexKey.map { $0 ^ UInt8(truncatingIfNeeded: version ^ 2) }
            keys[version] = FieldKeys.Key(
                state: state, commitment: [UInt8](repeating: UInt8(version), count: 32),
                secret: state == .destroyed ? nil : SharedSecret(try SecretBytes(copying: bytes.span)))
        }
        return FieldKeys.Versions(active: 2, keys: keys)
    }

    static func cipher(
        column: UInt32 = 7, identity: [UInt8]? = nil, opensNumbered: Bool = false,
        _ keys: FieldKeys? = nil, mode: SealingMode = .random, padding: CellPadding = .none
    ) throws -> ColumnCipher {
        try ColumnCipher(
            column: column, identity: identity, opensNumbered: opensNumbered, keys ?? Self.keys(),
            SealingTools(), mode: mode, padding: padding)
    }
}

extension ColumnCipher {
    func open(_ cell: [UInt8], at binding: CellBinding) throws -> Value {
        try open(cell.span, at: binding)
    }
}
