extension Keyring {
    /// The keys of the dataset's cells, unwrapped, for any number of connections.
    /// - Throws: ``LockstepError/Code/keyringMismatch`` for a keyring of another purpose,
    ///   ``LockstepError/Code/keyringTampered``.
    public borrowing func fieldKeys() throws(LockstepError) -> FieldKeys {
        guard purpose == .fields else {
            throw LockstepError(
                .keyringMismatch, "a \(purpose.rawValue) keyring opens no sealed cells",
                hint: "give the dataset's keyring, <dataset>.fields.keyring")
        }
        var keys: [UInt32: FieldKeys.Key] = [:]
        for entry in document.keys where entry.kind == .field {
            let secret = entry.state == .destroyed ? nil : SharedSecret(try unwrap(entry))
            keys[entry.version] = FieldKeys.Key(
                state: entry.state, commitment: entry.commitment, secret: secret)
        }
        guard let active = keys.first(where: { $0.value.state == .active })?.key else {
            throw KeyringDocument.malformed("it has no active field key")
        }
        return FieldKeys(dataset: subjectID, active: active, keys: keys)
    }
}

/// The keys that seal and open the cells of one dataset. They are wiped when the last user lets go of them.
public final class FieldKeys: Sendable {
    struct Key: Sendable {
        let state: KeyState
        let commitment: [UInt8]
        /// Nil once it was destroyed.
        let secret: SharedSecret<SecretBytes>?
    }

    /// The 16-byte identifier of the dataset.
    public let dataset: [UInt8]
    /// The version that new cells are sealed under.
    public let activeVersion: UInt32
    private let keys: [UInt32: Key]

    init(dataset: [UInt8], active: UInt32, keys: [UInt32: Key]) {
        self.dataset = dataset
        activeVersion = active
        self.keys = keys
    }

    /// Every version that there is or was, ascending.
    var versions: [UInt32] { keys.keys.sorted() }

    /// The public fingerprint of a version's key, by which a database tells it from any other.
    func commitment(_ version: UInt32) -> [UInt8]? { keys[version]?.commitment }

    /// The key of one column's cells: HKDF-SHA256(field key, salt = dataset, info = `field` ‖ column ‖ format),
    /// numbers big-endian.
    /// - Throws: ``LockstepError/Code/keyUnavailable``.
    func columnKey(
        _ column: UInt32, version: UInt32, format: UInt8, count: Int = 32
    ) throws(LockstepError) -> SecretBytes {
        let secret = try secret(version)
        var info = Array("field".utf8)
        info += column.bigEndianBytes
        info.append(format)
        return try HKDF.derive(secret.value, salt: dataset, info: info, count: count)
    }

    /// The key that authenticates what a database says of the dataset's columns.
    /// - Throws: ``LockstepError/Code/keyUnavailable``.
    func registryKey(_ version: UInt32) throws(LockstepError) -> SecretBytes {
        try HKDF.derive(
            secret(version).value, salt: dataset, info: Array("registry".utf8))
    }

    private func secret(_ version: UInt32) throws(LockstepError) -> SharedSecret<SecretBytes> {
        guard let key = keys[version] else {
            throw LockstepError(
                .keyUnavailable, "the keyring has no field key \(version)",
                hint: "a newer keyring of the dataset may hold it")
        }
        guard let secret = key.secret else {
            throw LockstepError(
                .keyUnavailable, "field key \(version) was destroyed",
                hint: "what it sealed cannot be read any more")
        }
        return secret
    }
}
