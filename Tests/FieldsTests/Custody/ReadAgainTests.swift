import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A keyring is read again before it is called old.
struct ReadAgainTests {
    /// Looks until one succeeds, and counts what happens.
    private static func run(
        _ looks: [LockstepError.Code?], isNew: Bool
    ) -> (looks: Int, rereads: Int, pauses: Int, code: LockstepError.Code?) {
        let pauses = Mutex(0)
        var (count, rereads) = (0, 0)
        var code: LockstepError.Code?
        do {
            try ReadAgain(pause: { pauses.withLock { $0 += 1 } }).run(
                rereading: {
                    rereads += 1
                    return isNew
                },
                {
                    count += 1
                    if let code = looks[min(count, looks.count) - 1] {
                        throw LockstepError(code, "look \(count)")
                    }
                })
        } catch {
            code = (error as? LockstepError)?.code
        }
        return (count, rereads, pauses.withLock { $0 }, code)
    }

    @Test("What succeeds at once reads nothing again")
    func once() {
        #expect(Self.run([nil], isNew: true) == (1, 0, 0, nil))
    }

    @Test(
        "An outdated keyring is read again up to three times, with a pause before the second and third"
    )
    func outdated() {
        #expect(Self.run([.keyringOutdated, nil], isNew: true) == (2, 1, 0, nil))
        #expect(Self.run([.keyringOutdated, .keyringOutdated, nil], isNew: false) == (3, 2, 1, nil))
        #expect(Self.run([.keyringOutdated], isNew: false) == (4, 3, 2, .keyringOutdated))
        #expect(Self.run([.keyringOutdated], isNew: true) == (4, 3, 2, .keyringOutdated))
    }

    @Test("Anything else that a newer keyring explains is tried again with a newer one only") func others() {
        for code: LockstepError.Code in [.unknownDatabase, .tampered, .keyUnavailable, .wrongKey] {
            #expect(Self.run([code, nil], isNew: true) == (2, 1, 0, nil))
            #expect(Self.run([code], isNew: false) == (1, 1, 0, code))
        }
        #expect(Self.run([.busy], isNew: true) == (1, 0, 0, .busy))
        #expect(Self.run([.databaseOutdated], isNew: true) == (1, 0, 0, .databaseOutdated))
    }

    @Test("A keyring and its database that change between two looks are no alarm") func changedBetween() throws {
        let bound = try BoundScratch()
        var keyring = try bound.scratch.keyring()
        try bound.save()
        try bound.bind()
        let (before, newest) = (keyring.epoch, try bound.scratch.keyring().epoch)
        #expect(before < newest)
        Refusal.expect(.keyringOutdated) {
            _ = try Connection.open(bound.scratch.path, key: keyring.activeDatabaseKey())
        }
        _ = try Store.open(bound.scratch.path, keyring: &keyring, in: bound.scratch.file)
        #expect(keyring.epoch == newest)
    }

    @Test("An older copy of the keyring is refused after all")
    func older() throws {
        let bound = try BoundScratch()
        let old = try Bytes.read(bound.scratch.file.path)
        try bound.save()
        try bound.bind()
        try Bytes.write(old, to: bound.scratch.file.path)
        var keyring = try bound.scratch.keyring()
        let pauses = Mutex(0)
        Refusal.expect(.keyringOutdated) {
            try bound.scratch.file.readingAgain(&keyring, ReadAgain(pause: { pauses.withLock { $0 += 1 } })) {
                keyring in _ = try Connection.open(bound.scratch.path, key: keyring.activeDatabaseKey())
            }
        }
        #expect(pauses.withLock { $0 } == 2)
    }
}
