import CCrypto
import CSQLCipher
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// What the article SecretsInMemory says of a program that uses the library. Each test runs in a separate process,
/// whose only secrets come from the files.
@Suite("Secrets in memory", .enabled(if: LockableMemory.isThere, "no memory can be locked here, or there is no /proc"))
struct SecretsInMemoryTests {
    private let workbench: SecretsWorkbench
    private let path: String
    private let known: KnownSecrets

    init() throws {
        workbench = try SecretsWorkbench()
        path = workbench.path.string
        known = workbench.secrets
    }

    /// The entries of the table that are not true in this process.
    private static func differences(_ known: KnownSecrets) throws -> [String] {
        try MemoryTable().differences(
            .program, known, MemoryScan.places(of: known.masked))
    }

    @Test("In use, all copies are the table's, locked and left out of dumps; closed, there is none")
    func program() async throws {
        await #expect(processExitsWith: .success) {
            [path = path as String, known = known as KnownSecrets] in
            try SecretsInUse(in: FilePath(path)).withAll {
                let differences = try Self.differences(known)
                try #require(differences.isEmpty, "\(differences)")
                try #require(KeyMemory.gaps.isEmpty)
            }
            let places = try MemoryScan.places(of: known.masked)
            try #require(places.isEmpty, "\(places)")
        }
    }

    @Test("Closing another database, which unlocks the memory around its keys, leaves these locked")
    func otherCloses() async throws {
        await #expect(processExitsWith: .success) {
            [path = path as String, known = known as KnownSecrets] in
            try SecretsInUse(in: FilePath(path)).withAll {
                for _ in 0..<3 {
                    let other = try Connection.inMemory()
                    try other.execute("CREATE TABLE t (a)")
                    // For this SQLCipher keys a database of its own.
                    try other.vacuum()
                }
                let differences = try Self.differences(known)
                try #require(differences.isEmpty, "\(differences)")
            }
        }
    }

    @Test("A copy in ordinary memory is found, and distinguished from the others")
    func planted() async throws {
        await #expect(processExitsWith: .success) {
            [path = path as String, known = known as KnownSecrets] in
            try SecretsInUse(in: FilePath(path)).withAll {
                let copy = try Bytes.read(FilePath(path).appending("identity"))
                let secret = try KeyFile.read(FilePath(path).appending("key")).secret.publicCopy()
                let differences = try Self.differences(known)
                try #require(
                    differences.contains { $0.hasPrefix("key file: in the open") },
                    "\(differences)")
                try #require(differences.contains { $0.hasPrefix("key file: 2 copies instead of 1") })
                // It is the only violation.
                try #require(differences.count == 2, "\(differences)")
                withExtendedLifetime((copy, secret)) {}
            }
        }
    }

    @Test("If another library has used libcrypto before, the search finds what KeyMemory reports")
    func libcryptoInUse() async throws {
        await #expect(processExitsWith: .success) {
            [path = path as String, known = known as KnownSecrets] in
            EVP_MD_free(EVP_MD_fetch(nil, "SHA256", nil))
            try SecretsInUse(in: FilePath(path)).withAll {
                try #require(KeyMemory.gaps == [.contextsInOrdinaryMemory])
                let open = try Self.differences(known).filter { $0.contains("in the open") }
                for name in ["FC column key", "FD column key", "inner state of the page MAC key"] {
                    try #require(open.contains { $0.hasPrefix(name) }, "\(name): \(open)")
                }
                // The library's own secrets, and SQLCipher's, lie where they should.
                for name in ["ring key", "field key", "FE column key", "raw key in hex"] {
                    try #require(!open.contains { $0.hasPrefix(name) }, "\(open)")
                }
            }
            // Freed contexts are wiped there, too.
            let places = try MemoryScan.places(of: known.masked)
            try #require(places.isEmpty, "\(places)")
        }
    }

    @Test("If another library has initialized SQLite before, the search finds what KeyMemory reports")
    func sqliteInUse() async throws {
        await #expect(processExitsWith: .success) {
            [path = path as String, known = known as KnownSecrets] in
            try #require(sqlite3_initialize() == SQLITE_OK)
            try SecretsInUse(in: FilePath(path)).withAll {
                try #require(KeyMemory.gaps == [.databaseKeysInOrdinaryMemory])
                let open = try Self.differences(known).filter { $0.contains("in the open") }
                let names = open.map { String($0.prefix { $0 != ":" }) }
                try #require(Set(names) == ["raw key", "raw key in hex", "page MAC key"], "\(open)")
            }
            let places = try MemoryScan.places(of: known.masked)
            try #require(places.isEmpty, "\(places)")
        }
    }
}
