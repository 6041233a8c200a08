import Lockstep
import LockstepModels
import TestSupport
import Testing

@Suite("Stores without a permanent file")
struct TemporaryStoreTests {
    private static func blocking() throws -> [MicroblogStore] {
        [try MicroblogStore.inMemory(), try MicroblogStore.temporary()]
    }

    @Test("In memory and in a temporary file the schema is the newest, and no file is left") func both() async throws {
        let more = [try await MicroblogStore.inMemory(), try await MicroblogStore.temporary()]
        for blog in try Self.blocking() + more {
            #expect(try await blog.add(User(name: "Ann")) == 1)
            #expect(try await blog.store.verifyLightly(ModelMigrations.all()).isClean)
            try await blog.store.close()
            #expect(throws: LockstepError.self) {
                try Store.open(blog.store.path, rawKey: Keyring.create(.database).activeDatabaseKey())
            }
        }
    }

    @Test("A schema that seals a column requires its keys")
    func keys() throws {
        let error = try #require(throws: LockstepError.self) { try ContactStore.inMemory() }
        #expect(error.code == .keyUnavailable)
        let options = try StoreOptions(connection: ModelKeys.options())
        #expect(try ContactStore.temporary(options: options).count() == 0)
    }
}
