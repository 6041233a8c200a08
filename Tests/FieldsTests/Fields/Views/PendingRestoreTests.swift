import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("A restored database that its fields keyring knows in a newer state") struct PendingRestoreTests {
    private let films: RememberedScratch

    init() throws { films = try RememberedScratch(rows: 3) }

    private var restored: Int64? {
        get throws { try KeyringTable.read(films.openWithout()).restored }
    }

    private func expectRefused(_ code: LockstepError.Code, _ words: String...) throws {
        for mayBeUnsealed in [false, true] {
            let error = try #require(throws: LockstepError.self) {
                try films.open(mayBeUnsealed: mayBeUnsealed)
            }
            #expect(error.code == code)
            for word in words + ["was restored on 20", "films"] {
                #expect(error.message.contains(word), "\(error.message)")
            }
            #expect(error.hint?.contains("`KeyringFile.accept`") == true)
        }
    }

    @Test("An older state is named with its changes, until a person accepts it")
    func older() throws {
        try films.seal("title")
        let backup = try films.backUp(to: "b.db")
        try films.seal("plot")
        try films.restore(backup)
        #expect(try restored != nil)
        let changes = try films.keyring().sealedMemory.records[0].changes
        try expectRefused(.registryOlder, "of registry change", "has seen \(changes)")
        #expect(try films.accept())
        #expect(try films.titles() == 3)
        #expect(try restored == nil)
    }

    @Test("So is one from before anything was sealed, which can be sealed again")
    func unsealed() throws {
        let backup = try films.backUp(to: "b.db")
        try films.seal("title")
        let sealed = try Bytes.read(films.scratch.path)
        try films.restore(backup)
        try expectRefused(.databaseOutdated, "nothing of the dataset films was sealed")
        #expect(try !films.accept())
        #expect(try restored == nil)
        #expect(try films.keyring().sealedMemory.records.map(\.isSealed) == [false])
        #expect(try films.open().value("SELECT title FROM film WHERE id = 2") == "title 2")
        try films.seal("title")
        #expect(try films.titles() == 3)

        // The state from before the restore is that of another registry.
        try Bytes.write(sealed, to: films.scratch.path)
        #expect(throws: LockstepError.self) { try films.open() }
    }

    @Test("A state that the keyring knows is confirmed by the next command that writes") func confirmed() throws {
        try films.seal("title")
        try films.restore(films.backUp(to: "b.db"))
        #expect(try restored != nil)
        #expect(try films.titles() == 3)
        try films.remember()
        #expect(try restored == nil)
    }

    @Test("The mark alone opens nothing, and nothing is accepted while cells are there") func forgedMark() throws {
        try films.seal("title")
        let old = try Bytes.read(films.scratch.path)
        try films.seal("plot")
        let newest = try Bytes.read(films.scratch.path)
        let mark = """
            INSERT OR REPLACE INTO lockstep_keyring (ring, epoch)
            VALUES (x'ffffffffffffffffffffffffffffffff', 1)
            """
        try Bytes.write(old, to: films.scratch.path)
        try films.tamper(mark)
        #expect(try restored == 1)
        #expect(throws: LockstepError.self) { try films.open(mayBeUnsealed: true) }

        try Bytes.write(newest, to: films.scratch.path)
        try films.tamper(mark, "DELETE FROM lockstep_dataset")
        #expect(throws: LockstepError.self) { try films.open(mayBeUnsealed: true) }
        let error = try #require(throws: LockstepError.self) { try films.accept() }
        #expect(error.code == .registryMissing && error.message.contains("holds sealed cells"))
        #expect(error.hint?.contains("RegistryRebuild") == true)
    }

    @Test("The mark is a row of its own, which older programs read as a ring that nobody has") func row() throws {
        try films.restore(films.backUp(to: "b.db"))
        let rows = try films.openWithout().query(
            """
            SELECT typeof(epoch), database IS NULL FROM lockstep_keyring
            WHERE ring = x'ffffffffffffffffffffffffffffffff'
            """, as: (String, Bool).self)
        #expect(rows.count == 1 && rows[0] == ("integer", true))
        let keyring = try films.scratch.keyring()
        try keyring.remember(in: films.openWithout())
        #expect(try KeyringTable.read(films.openWithout()).epochs.count == 1)
    }

    @Test("A database that the keyring never knew is not accepted without a registry")
    func neverKnown() throws {
        Refusal.expect(.registryMissing) { try films.accept() }
    }
}
