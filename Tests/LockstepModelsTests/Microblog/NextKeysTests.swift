import Lockstep
import LockstepModels
import TestSupport
import Testing

@Suite("Keys of new rows")
struct NextKeysTests {
    @Test("Where the largest key is taken, the error reports that, and nothing is written") func full() throws {
        let blog = try MicroblogStore.inMemory()
        try blog.store.blocking.write { connection in
            try connection.execute("INSERT INTO Status (Id, \"text\") VALUES (?, 'x')", Int64.max - 1)
        }
        let statuses = [Status(text: "a", userID: nil), Status(text: "b", userID: nil)]
        let error = try #require(throws: LockstepError.self) { try blog.add(statuses) }
        #expect(error.code == .full && error.hint != nil)
        #expect(try blog.count() == 1)
        #expect(try blog.add(statuses[0]) == .max)
        #expect(throws: LockstepError.self) { try blog.add(statuses[1]) }
    }
}
