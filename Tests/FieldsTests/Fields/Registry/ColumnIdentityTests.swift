import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// The identities of a registry and of its columns.
struct ColumnIdentityTests {
    let keys: FieldKeys
    let registry: ColumnRegistry

    init() throws {
        let tests = try ColumnRegistryTests()
        (keys, registry) = (tests.keys, tests.registry)
    }

    @Test("Each sealing gives a column another identity, and a name or state changes none") func identities() throws {
        var registry = registry
        let identities = registry.columns.map(\.identity)
        #expect(Set(identities).count == 2 && !identities.contains(nil))
        #expect(registry.columns[1].indexes.map(\.index.identity) == [identities[1], identities[1]])
        try registry.rename(1, to: "name", of: "film")
        try registry.move(1, to: .unsealing)
        #expect(registry.columns.map(\.identity) == identities)
        try registry.move(1, to: .plaintext)
        let again = try registry.add("name", of: "film", mode: .random, padding: .none)
        #expect(again.identity != nil && !identities.contains(again.identity))
    }

    @Test("A column without an identity gets one with resealing, and its tokens follow at the end")
    func resealing() throws {
        var registry = registry
        registry.columns[1].identity = nil
        registry.columns[1].indexes = try registry.columns[1].indexes.map {
            try $0.belonging(to: nil)
        }
        try registry.move(2, to: .resealing)
        let identity = try #require(registry.columns[1].identity)
        #expect(registry.columns[1].indexes.map(\.index.identity) == [nil, nil])
        let connection = try Connection.inMemory()
        try connection.with(rights: .engine) {
            try RegistryTables.write(&registry, keys, connection)
        }
        #expect(try RegistryTables.read(keys, connection) == registry)
        try registry.move(2, to: .sealed)
        #expect(registry.columns[1].identity == identity)
        #expect(registry.columns[1].indexes.map(\.index.identity) == [identity, identity])
    }
}
