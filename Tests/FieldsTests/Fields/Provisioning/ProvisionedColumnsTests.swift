import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Databases that are made from a template with sealed columns.
@Suite("Sealed columns of a template")
struct ProvisionedColumnsTests {
    private let template: SealedTableWorkbench
    private let key: DatabaseKeyBytes

    /// A key that each use makes again.
    private struct DatabaseKeyBytes {
        let secret = [UInt8](repeating: 9, count: 32)

        func make() throws -> DatabaseKey {
            try DatabaseKey(secret: SecretBytes(copying: secret.span), salt: [UInt8](repeating: 3, count: 16))
        }
    }

    init() throws {
        template = try SealedTableWorkbench(rows: 0)
        key = DatabaseKeyBytes()
    }

    private func seal() throws {
        let connection = try template.open()
        try connection.protect("title", of: "film", keys: template.keys, indexes: [.init(.exact, bits: 63)])
        try connection.protect("note", of: "film", keys: template.keys, mode: .deterministic)
    }

    private func provision(
        _ name: String, keys: [FieldKeys], sharesCells: Bool = false
    ) throws -> FilePath {
        var options = ConnectionOptions()
        options.fieldKeys = keys
        let path = template.folder.path.appending(name)
        var provisioning = Provisioning(path, from: template.path, options: options)
        provisioning.sharesCells = sharesCells
        try provisioning.run(key: key.make(), templateKey: template.databaseKey())
        return path
    }

    private func open(_ path: FilePath) throws -> Connection {
        var options = ConnectionOptions()
        options.fieldKeys = [template.keys]
        return try Connection.open(path, key: key.make(), options: options)
    }

    private func registry(_ path: FilePath) throws -> ColumnRegistry {
        let connection = try open(path)
        return try #require(try RegistryTables.read(template.keys, connection))
    }

    @Test("Each database gets a registry, columns and an id of its own")
    func own() throws {
        try seal()
        let before = try Bytes.read(template.path)
        let paths = try ["one.db", "two.db"].map { try provision($0, keys: [template.keys]) }
        #expect(try Bytes.read(template.path) == before)
        let original = try template.open()
        let first = try #require(try RegistryTables.read(template.keys, original))
        let registries = try [first] + paths.map(registry)
        #expect(Set(registries.map(\.identity)).count == 3)
        #expect(Set(registries.flatMap { $0.columns.map(\.identity) }).count == 6)
        let ids = try [original.databaseID()] + paths.map { try open($0).databaseID() }
        #expect(Set(ids).count == 3 && !ids.contains(nil))
        for path in paths {
            let connection = try open(path)
            try connection.execute("INSERT INTO film_open (id, title, note) VALUES (1, 'Laura', 'seen')")
            let match = try connection.matching("title", of: "film", .equal(.text("Laura")))
            #expect(try connection.texts("SELECT note FROM film_open") == ["seen"])
            #expect(try connection.value("SELECT count(*) FROM film_open WHERE \(match)", as: Int.self) == 1)
        }
        // Nothing of one opens in the other.
        let cell = try open(paths[0]).value("SELECT title FROM film", as: [UInt8].self)
        let tokens = try paths.map {
            try open($0).value("SELECT title_exact_token FROM film", as: Int64.self)
        }
        #expect(tokens[0] != tokens[1])
        let other = try open(paths[1])
        try other.execute("UPDATE film SET title = ?", try #require(cell))
        Refusal.expect(.cellForged) { _ = try other.texts("SELECT title FROM film_open") }
    }

    @Test("A template with cells is refused, unless the databases may share them")
    func cells() throws {
        try seal()
        try template.open().execute("INSERT INTO film_open (id, title, note) VALUES (1, 'Laura', 'seen')")
        Refusal.expect(.misuse, about: .init(table: "film", column: "title")) {
            _ = try provision("new.db", keys: [template.keys])
        }
        #expect(!FileAccess.exists(template.folder.path.appending("new.db")))
        let shared = try provision("new.db", keys: [], sharesCells: true)
        #expect(try open(shared).texts("SELECT title FROM film_open") == ["Laura"])
        let original = try template.open()
        #expect(try registry(shared) == RegistryTables.read(template.keys, original))
        #expect(try open(shared).databaseID() != original.databaseID())
    }

    @Test("Without the keys of a dataset nothing is made")
    func keysMissing() throws {
        try seal()
        Refusal.expect(.keyUnavailable) { _ = try provision("new.db", keys: []) }
        let other = try CellWorkbench.keys(dataset: [UInt8](repeating: 1, count: 16))
        Refusal.expect(.keyUnavailable) { _ = try provision("new.db", keys: [other]) }
        #expect(!FileAccess.exists(template.folder.path.appending("new.db")))
    }

    @Test("A template without sealed columns needs none")
    func plain() throws {
        let path = try provision("new.db", keys: [template.keys])
        #expect(try Connection.open(path, key: key.make()).texts("SELECT title FROM film") == [])
    }
}
