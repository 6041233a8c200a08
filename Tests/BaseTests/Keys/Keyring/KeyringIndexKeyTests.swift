import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// The keys of blind indexes among a dataset's keys.
struct KeyringIndexKeyTests {
    private static let info = Array("index".utf8)

    /// Index keys 1 to 5: compromised, destroyed, retired, active and pending.
    private func keyring() throws -> Rings.Box {
        let box = Rings.Box(try Rings.make(.fields))
        for version: UInt32 in 2...4 {
            _ = try box.ring.createKey(.index)
            try box.ring.activateKey(.index, version: version)
        }
        _ = try box.ring.createKey(.index)
        try box.ring.markCompromised(.index, version: 1)
        try box.ring.destroyKey(.index, version: 2)
        return box
    }

    private func derived(_ keys: FieldKeys, _ version: UInt32) throws -> [UInt8] {
        Secrets.bytes(of: try keys.indexKey(version: version, info: Self.info))
    }

    @Test("a new keyring has one, beside its field key")
    func fresh() throws {
        let ring = try Keyring.create(.fields)
        let keys = try ring.fieldKeys()
        #expect(keys.activeIndexVersion == 1)
        #expect(keys.indexVersions == [1])
        #expect(keys.versions == [1])
        #expect(keys.indexCommitment(1) != keys.commitment(1))
    }

    @Test("each version is known with its state and its fingerprint, and all that have a key work")
    func versions() throws {
        let box = try keyring()
        let keys = try box.ring.fieldKeys()
        #expect(keys.activeIndexVersion == 4)
        #expect(keys.activeVersion == 1)
        #expect(keys.indexVersions == [1, 2, 3, 4, 5])
        #expect(
            keys.indexVersions.map { keys.index.keys[$0]?.state } == [
                .compromised, .destroyed, .retired, .active, .pending,
            ])
        #expect(keys.indexCommitment(6) == nil)
        #expect(Set(keys.indexVersions.map(keys.indexCommitment)).count == 5)
        let usable: [UInt32] = [1, 3, 4, 5]
        #expect(Set(try usable.map { try derived(keys, $0) }).count == 4)
        for version in usable {
            let key = try box.ring.key(.index, version: version)
            let due = try HKDF.derive(key, salt: keys.dataset, info: Self.info)
            #expect(try derived(keys, version) == Secrets.bytes(of: due))
            #expect(try keys.indexCommitment(version) == Keyring.commitment(of: key))
        }
    }

    @Test("the error for a destroyed or missing version names the kind of key, and what to do")
    func unavailable() throws {
        let keys = try keyring().ring.fieldKeys()
        for (version, message) in [
            (2, "index key 2 was destroyed"), (6, "the keyring has no index key 6"),
            (0, "the keyring has no index key 0"),
        ] as [(UInt32, String)] {
            do {
                _ = try derived(keys, version)
                Issue.record("index key \(version) was there")
            } catch let error as LockstepError {
                #expect(error.code == .keyUnavailable)
                #expect(error.message == message)
                #expect(error.hint != nil)
            }
        }
        do {
            _ = try keys.columnKey([0, 0, 0, 1], version: 2, format: 0xF9)
            Issue.record("there was a field key 2")
        } catch {
            #expect(error.message == "the keyring has no field key 2")
        }
    }
}

extension FieldKeys {
    /// Every version of the index key, ascending.
    fileprivate var indexVersions: [UInt32] { index.keys.keys.sorted() }
}
