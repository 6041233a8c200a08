import CSQLCipher
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Crypto provider")
struct CryptoProviderTests {
    /// Whether Lockstep's provider should be in use with this library.
    static let isExpected: Bool = {
        guard let version = try? Connection.libraryVersion() else { return false }
        return CryptoProvider.knownVersions.contains(version)
    }()
    private static let noProvider: Comment = "Lockstep has no provider for the loaded SQLCipher"

    @Test("Lockstep's provider is in use, and stays so after the last connection has closed") func inUse() throws {
        try #require(try LinkGuard.library().refusal == nil || !Self.isExpected)
        let name = Self.isExpected ? "lockstep" : "openssl"
        for _ in 0..<2 {
            let scratch = try DatabaseScratch()
            try scratch.fill(rows: 3)
            let database = try RawDatabase(scratch.path, key: RawDatabase.keyspec)
            #expect(try database.run("PRAGMA cipher_provider") == [name])
            #expect(try database.run("PRAGMA cipher_provider_version")[0].hasPrefix("OpenSSL "))
            #expect(try database.run("PRAGMA cipher") == ["AES-256-CBC"])
            #expect(try database.run("PRAGMA cipher_add_random = \"x'0102'\"") == ["0"])
            #expect(try database.run("SELECT count(*) FROM item") == ["3"])
        }
    }

    @Test(
        "A library with an unknown layout keeps its own provider",
        arguments: [
            "4.4.3 community", "4.5.8 community", "4.6.2 community", "4.7.0 community",
            "4.6.1 commercial", "4.6.1", "", "5.0.0 community",
        ])
    func unknownVersion(_ version: String) throws {
        let memory = try KeyedMemory()
        #expect(CryptoProvider.install(for: version, beside: memory) == .unknownVersion(version))
    }

    @Test("If Lockstep's provider is not wanted, the stock provider stays and works") func notWanted() async {
        await #expect(processExitsWith: .success) {
            do {
                CryptoProvider.isWanted = false
                let scratch = try DatabaseScratch()
                try scratch.fill(rows: 3)
                #expect(try LinkGuard.library().refusal == .notWanted)
                let memory = try KeyedMemory()
                #expect(memory.answer("PRAGMA cipher_provider") == "openssl")
                #expect(try scratch.count(scratch.open()) == 3)
            } catch {
                Issue.record(error)
            }
        }
    }

    @Test(
        "A provider that fails the check is not registered", .enabled(if: isExpected, noProvider))
    func failedCheck() async {
        // In a process in which nothing has been registered yet.
        await #expect(processExitsWith: .success) {
            do {
                CryptoProvider.isWanted = false
                let version = try Connection.libraryVersion()
                let memory = try KeyedMemory()
                CryptoProvider.isWanted = true
                for sabotage in Sabotage.allCases {
                    let refusal = CryptoProvider.install(for: version, beside: memory, sabotage.provider)
                    let due: CryptoProvider.Refusal = sabotage.isSeenInSizes ? .otherStockProvider : .checkFailed
                    #expect(refusal == due, "\(sabotage)")
                }
                #expect(try KeyedMemory().answer("PRAGMA cipher_provider") == "openssl")
                #expect(memory.answer("PRAGMA cipher_provider") == "openssl")
                // The remaining refusal: a wrong name after registration.
                var misnamed = ProviderFunctions.all
                misnamed.get_provider_name = ProviderFunctions.all.get_cipher
                #expect(CryptoProvider.install(for: version, beside: memory, misnamed) == .notTaken)
                #expect(try KeyedMemory().answer("PRAGMA cipher_provider") == "openssl")
                let scratch = try DatabaseScratch()
                try scratch.fill(rows: 3)
                // Then the real one, beside a connection that started with the stock one.
                #expect(CryptoProvider.install(for: version, beside: memory) == nil)
                #expect(memory.answer("PRAGMA cipher_provider") == "openssl")
                #expect(try KeyedMemory().answer("PRAGMA cipher_provider") == "lockstep")
                #expect(try scratch.count(scratch.open()) == 3)
            } catch {
                Issue.record(error)
            }
        }
    }

    @Test("The check accepts Lockstep's provider, and detects every replaced function")
    func check() {
        #expect(ProviderCheck.passes(ProviderFunctions.all))
        for sabotage in Sabotage.allCases where !sabotage.isSeenInSizes {
            #expect(!ProviderCheck.passes(sabotage.provider), "\(sabotage)")
        }
    }

    /// A provider that fails while a database is open fails only the statement.
    @Test(
        "When the provider fails, nothing is written or read",
        .enabled(if: isExpected, noProvider),
        arguments: ["random", "hmac", "cipher", "kdf", "ctx_init"])
    func failsClosed(_ function: String) async {
        await #expect(processExitsWith: .success) { [function = function as String] in
            do {
                CryptoProvider.isWanted = false
                let scratch = try DatabaseScratch()
                try scratch.fill(rows: 300)
                let anchor = try KeyedMemory()
                var provider = ProviderFunctions.all
                switch function {
                case "random": provider.random = { _, _, _ in SQLITE_ERROR }
                case "hmac": provider.hmac = { _, _, _, _, _, _, _, _, _ in SQLITE_ERROR }
                case "cipher": provider.cipher = { _, _, _, _, _, _, _, _ in SQLITE_ERROR }
                case "kdf": provider.kdf = { _, _, _, _, _, _, _, _, _ in SQLITE_ERROR }
                default: provider.ctx_init = { _ in SQLITE_NOMEM }
                }
                try #require(CryptoProvider.register(provider))
                let before = try scratch.bytes
                let opened = try Refusal.code {
                    let connection = try scratch.open()
                    #expect(function == "random", "\(function)")
                    #expect(try scratch.count(connection) == 300)
                    try scratch.add(rows: 300, to: connection)
                }
                #expect(opened != nil)
                #expect(try scratch.bytes == before)
                let created = try Refusal.code {
                    _ = try Connection.create(scratch.folder.file("new.db"), key: scratch.key())
                }
                #expect(created != nil)
                #expect(try scratch.names.contains("new.db") == false)
                try #require(CryptoProvider.register(ProviderFunctions.all))
                #expect(try scratch.count(scratch.open()) == 300)
                anchor.leaveOpen()
            } catch {
                Issue.record(error)
            }
        }
    }
}
