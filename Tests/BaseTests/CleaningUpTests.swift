import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Cleaning up after an error")
struct CleaningUpTests {
    private let first = LockstepError(.full, "the disk is full", hint: "free some space", context: .init(table: "t"))
    private let second = LockstepError(.inputOutput, "the file cannot be removed", hint: "remove it by hand")

    private func fail(_ error: LockstepError) throws(LockstepError) { throw error }

    @Test("A clean-up that succeeds leaves the error as it is")
    func success() {
        var count = 0
        #expect(cleaningUp(after: first) { count += 1 } == first)
        #expect(count == 1)
    }

    @Test("A clean-up that fails is mentioned after the first error")
    func mention() {
        let error = cleaningUp(after: first) { throw second }
        #expect(error.message == "the disk is full; cleaning up failed as well: the file cannot be removed")
        #expect(error.code == first.code && error.hint == first.hint)
        #expect(error.context == first.context)
        let hintless = LockstepError(.full, "the disk is full")
        #expect(cleaningUp(after: hintless) { throw second }.hint == second.hint)
        let foreign = cleaningUp(after: first) { throw Stop() }
        #expect(foreign.message == "the disk is full; cleaning up failed as well: Stop")
    }

    @Test("An error of unknown type gets the mention, too, if it is one of Lockstep") func anyError() throws {
        let any: any Error = first
        let error = try #require(cleaningUp(after: any) { throw second } as? LockstepError)
        #expect(error == cleaningUp(after: first) { throw second })
        let stop: any Error = Stop()
        #expect(cleaningUp(after: stop) { throw second } is Stop)
    }

    @Test("A clean-up that is only an attempt is not mentioned")
    func bestEffort() {
        #expect(cleaningUp(after: first, isBestEffort: true) { throw second } == first)
    }

    @Test("What always runs afterwards runs once, and its own error counts only without another")
    func finally() throws {
        var count = 0
        #expect(running({ 7 }, finally: { count += 1 }) == 7)
        Refusal.expect(.full) { try running({ throw first }, finally: { count += 1 }) }
        #expect(count == 2)
        Refusal.expect(.inputOutput) { try running({}, finally: { try fail(second) }) }
        let both = try #require(throws: LockstepError.self) {
            try running({ try fail(first) }, finally: { try fail(second) })
        }
        #expect(both == cleaningUp(after: first) { throw second })
    }

    @Test("A transaction that prevents switching foreign keys back does not hide the error") func foreignKeys() throws {
        let connection = try Connection.inMemory()
        let error = try #require(throws: LockstepError.self) {
            try MigrationTransaction.withForeignKeys(off: true, connection) {
                try connection.run(.beginImmediate)
                try fail(first)
            }
        }
        #expect(error.code == .full && error.context == first.context)
        #expect(
            error.message == "the disk is full; cleaning up failed as well: "
                + "foreign keys cannot be switched inside a transaction")
    }
}
