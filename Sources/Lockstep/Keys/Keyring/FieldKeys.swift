/// The keys that seal and open the cells of one dataset, and those that compute its blind indexes. They are wiped
/// when the last reference is released.
public final class FieldKeys: Sendable {
    /// The same keys without the keyring's records of databases, to inspect a database that is accepted as it is.
    public func withoutMemory() -> FieldKeys {
        FieldKeys(dataset: dataset, name: name, active: activeVersion, keys: keys, index: index, file: file)
    }

    struct Key: Sendable {
        let state: KeyState
        let commitment: [UInt8]
        /// Nil once the key is destroyed.
        let secret: SharedSecret<SecretBytes>?
    }

    /// The keys of one kind, by version.
    struct Versions: Sendable {
        let active: UInt32
        let keys: [UInt32: Key]
    }

    /// The 16-byte identifier of the dataset.
    public let dataset: [UInt8]
    /// The dataset's name in migrations.
    public let name: String?
    /// The field key version for new cells.
    public let activeVersion: UInt32
    private let keys: [UInt32: Key]
    /// The versions of the index key. An index is read and written with the version that it was made with, even if that
    /// key is retired, until the index is rebuilt.
    let index: Versions
    /// The keyring's records of the dataset's databases at the time the keyring was opened.
    public let memory: SealedMemory
    /// The keyring of the keys; nil if a database is accepted as it is.
    let origin: Origin?
    /// The keyring's file; nil for a keyring that is not from a file.
    private let file: KeyringFile?

    /// A version of a keyring.
    struct Origin: Sendable, Equatable {
        let ring: [UInt8]
        /// The rings that this one replaced.
        let formerRings: Set<[UInt8]>
        /// How many times the keyring has been written.
        let epoch: UInt64
    }

    init(
        dataset: [UInt8], name: String? = nil, active: UInt32, keys: [UInt32: Key],
        index: Versions, memory: SealedMemory = SealedMemory(), origin: Origin? = nil,
        file: KeyringFile? = nil
    ) {
        self.dataset = dataset
        self.name = name
        activeVersion = active
        self.keys = keys
        self.index = index
        self.memory = memory
        self.origin = origin
        self.file = file
    }

    /// Runs a job that converts cells: meanwhile no key of the keyring can be destroyed.
    /// - Throws: ``LockstepError/Code/locked``; any error from `body`.
    func whileUsed<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
        guard let file else { return try body() }
        let lock = try UseLock(file.path)
        defer { _ = lock }
        return try body()
    }

    /// Every version of the field key, including destroyed ones, ascending.
    package var versions: [UInt32] { keys.keys.sorted() }

    /// The public fingerprint of a version's key. A database uses it to distinguish keys.
    func commitment(_ version: UInt32) -> [UInt8]? { keys[version]?.commitment }

    /// The key of one column's cells: HKDF-SHA256(field key, salt = dataset, info = `field` ‖ column ‖ format).
    /// - Parameters:
    ///   - column: The column's identity, 16 bytes; its number, big-endian, if it has none.
    ///   - version: The version of the field key.
    ///   - format: The first byte of the cells.
    ///   - count: The length of the key.
    /// - Throws: ``LockstepError/Code/keyUnavailable``.
    func columnKey(
        _ column: [UInt8], version: UInt32, format: UInt8, count: Int = 32
    ) throws(LockstepError) -> SecretBytes {
        let secret = try secret(version)
        var info = Array("field".utf8)
        info += column
        info.append(format)
        return try HKDF.derive(secret.value, salt: dataset, info: info, count: count)
    }

    /// The key that authenticates a database's registry of the dataset's columns.
    /// - Throws: ``LockstepError/Code/keyUnavailable``.
    func registryKey(_ version: UInt32) throws(LockstepError) -> SecretBytes {
        try HKDF.derive(
            secret(version).value, salt: dataset, info: Array("registry".utf8))
    }

    /// The key that authenticates the ledger's rows for versions that were applied with these keys.
    /// - Throws: ``LockstepError/Code/keyUnavailable``.
    func ledgerKey(_ version: UInt32) throws(LockstepError) -> SecretBytes {
        try HKDF.derive(secret(version).value, salt: dataset, info: Array("ledger".utf8))
    }

    /// Whether the key of a version is available: neither unknown nor destroyed.
    func hasSecret(_ version: UInt32) -> Bool { keys[version]?.secret != nil }

    private func secret(_ version: UInt32) throws(LockstepError) -> SharedSecret<SecretBytes> {
        try Self.secret(keys, version, .field, lost: "cells sealed with it can no longer be read")
    }

    private static func secret(
        _ keys: [UInt32: Key], _ version: UInt32, _ kind: KeyKind, lost: String
    ) throws(LockstepError) -> SharedSecret<SecretBytes> {
        guard let key = keys[version] else {
            throw LockstepError(
                .keyUnavailable, "the keyring has no \(kind.rawValue) key \(version)",
                hint: "a newer keyring of the dataset may contain it")
        }
        guard let secret = key.secret else {
            throw LockstepError(.keyUnavailable, "\(kind.rawValue) key \(version) was destroyed", hint: lost)
        }
        return secret
    }

    // MARK: Blind indexes

    /// The index key version for new blind indexes.
    public var activeIndexVersion: UInt32 { index.active }

    /// The public fingerprint of a version's index key.
    func indexCommitment(_ version: UInt32) -> [UInt8]? { index.keys[version]?.commitment }

    /// A key for the purpose that `info` names: HKDF-SHA256(index key, salt = dataset, `info`).
    /// - Throws: ``LockstepError/Code/keyUnavailable``.
    func indexKey(version: UInt32, info: [UInt8]) throws(LockstepError) -> SecretBytes {
        let secret = try Self.secret(
            index.keys, version, .index, lost: "its blind indexes can no longer be searched; rebuild them")
        return try HKDF.derive(secret.value, salt: dataset, info: info)
    }
}

extension [FieldKeys] {
    /// The same for the keyrings of several datasets.
    /// - Throws: as ``FieldKeys/whileUsed(_:)``.
    func whileUsed<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
        guard let first else { return try body() }
        return try first.whileUsed { try Array(dropFirst()).whileUsed(body) }
    }
}
