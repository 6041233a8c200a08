@testable import Lockstep

/// Secrets to look for in a process's memory, with the names from the article SecretsInMemory.
struct KnownSecrets: Codable, Sendable {
    /// Each of them, masked.
    private(set) var masked: [String: MaskedSecret] = [:]

    /// Adds a secret.
    mutating func add(_ name: String, _ secret: borrowing SecretBytes) {
        masked[name] = MaskedSecret(secret)
    }

    /// A keyring's ring key, the keys derived from it, and the keys that it wraps.
    mutating func add(_ ring: borrowing Keyring) throws {
        let name = "\(ring.purpose.rawValue) keyring"
        add("ring key of the \(name)", ring.ringKey)
        for label in ["wrap", "mac"] {
            add(
                "\(label == "mac" ? "MAC" : label) key of the \(name)",
                try HKDF.derive(ring.ringKey, salt: ring.writtenRingID, info: Array("\(label)/1".utf8)))
        }
        for kind in ring.purpose.kinds {
            let name = kind == .manifest ? "manifest seed" : "\(kind.rawValue) key"
            add(name, try ring.key(kind, version: 1))
        }
    }

    /// The key of a database file, and the keys that SQLCipher and its provider derive from it.
    mutating func add(_ key: borrowing DatabaseKey) throws {
        add("raw key", key.secret)
        masked["raw key in hex"] = MaskedSecret(try key.keyspec(withSalt: false), from: 2)
        // SQLCipher's derivation: HMAC_SALT_MASK and FAST_PBKDF2_ITER in src/sqlcipher.c.
        let salt = key.salt.map { $0 ^ 0x3A }
        let derived = try PBKDF2.derive(.sha512, key.secret.bytes, salt: salt.span, rounds: 2)
        add("page MAC key", derived)
        addStates(of: "page MAC key", SHA2State.hmac512(Secrets.bytes(of: derived)))
    }

    /// The keys with which a connection's sealed columns are sealed, opened and looked up. The messages are those that
    /// ``SecretsInUse/withAll(_:)`` opens last.
    mutating func add(_ keys: FieldKeys, on connection: borrowing Connection) throws {
        guard let registry = try RegistryTables.read(keys, connection) else { return }
        add("registry key", try keys.registryKey(1))
        for column in registry.columns {
            for index in column.indexes {
                let key = try keys.indexKey(version: 1, info: index.index.info)
                add("blind index key", key)
                addStates(of: "blind index key", SHA2State.hmac256(Secrets.bytes(of: key)))
            }
            let owner = CellOwner(column.id, column.identity)
            guard column.mode == .random else {
                let key = try keys.columnKey(owner.bytes, version: 1, format: 0xFD, count: 64)
                add("FD column key", key)
                continue
            }
            let key = try keys.columnKey(owner.bytes, version: 1, format: 0xFC)
            add("FC column key", key)
            let cell = try Self.cell(1, 5 + 24, connection)
            var cipher = try XAES256GCM(key: key.bytes)
            add("FC message key", try cipher.derivedKey(cell.span.extracting(5..<29)))
            try addChunks(owner, keys, Self.cell(2, 5 + 24, connection))
        }
    }

    /// The key of a chunked message: C2SP, chunked-encryption.md, "Key derivation".
    private mutating func addChunks(_ owner: CellOwner, _ keys: FieldKeys, _ head: [UInt8]) throws {
        let key = try keys.columnKey(owner.bytes, version: 1, format: 0xFE)
        add("FE column key", key)
        var data = AssociatedData(CellPrefix(.chunked, owner.version, keyVersion: 1), dataset: keys.dataset, owner)
        let info =
            Array("c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0".utf8) + head[5...] + (try data.bytes(.row(2)))
        add(
            "FE message key",
            try HKDF.expand(key.bytes, info: info.span, count: 32, with: .sha512))
    }

    private static func cell(
        _ row: Int, _ count: Int, _ connection: borrowing Connection
    ) throws -> [UInt8] {
        let head = try connection.value(
            "SELECT substr(note, 1, ?) FROM film WHERE id = ?", count, row, as: [UInt8].self)
        return head ?? []
    }

    private mutating func addStates(of name: String, _ states: [[UInt8]]) {
        masked["inner state of the \(name)"] = MaskedSecret(states[0])
        masked["outer state of the \(name)"] = MaskedSecret(states[1])
    }
}
