import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// The list of defects in SQLite and SQLCipher.
@Suite("Library: known defects")
struct LibraryDefectTests {
    /// The test of the answer to each defect.
    private static let tests = [
        "wal-reset": "CheckpointGuardTests, TwoProcessesTests",
        "leaving-wal": "ScheduleTests.leavingWAL",
        "fts5-shadow": "ForeignFullTextTests",
        "aggregate-terms": "terms(), here",
        "rekey": "AuthorizerTests",
        "late-provider": "CryptoProviderTests.inUse", "provider-layout": "CryptoProviderTests.unknownVersion",
        "other-provider": "providers(), here, and CryptoProviderTests",
    ]

    private static func versions(
        _ sqlite: Int, _ cipher: String = "4.6.1 community", provider: String = "openssl"
    ) -> LibraryVersions {
        LibraryVersions(sqlite: sqlite, cipher: cipher, stockProvider: provider)
    }

    private static func defects(of versions: LibraryVersions) -> Set<String> {
        Set(LibraryDefect.all.filter { $0.isIn(versions) }.map(\.id))
    }

    @Test("Each defect has its own identifier, a text, an answer and a test")
    func rows() {
        #expect(LibraryDefect.all.map(\.id).sorted() == Self.tests.keys.sorted())
        for defect in LibraryDefect.all {
            #expect(!defect.effect.isEmpty && !defect.answer.isEmpty)
        }
    }

    @Test(
        "The releases that lose commits are listed, without the fixed releases of older branches",
        arguments: [
            (3_039_002, true), (3_044_005, true), (3_044_006, false), (3_045_000, true),
            (3_046_001, true), (3_050_006, true), (3_050_007, false), (3_051_000, true),
            (3_051_002, true), (3_051_003, false), (3_054_000, false),
        ])
    func walReset(_ sqlite: Int, _ isAffected: Bool) {
        #expect(Self.defects(of: Self.versions(sqlite)).contains("wal-reset") == isAffected)
    }

    @Test(
        "The releases that crafted files and statements harm are listed too",
        arguments: [
            ("fts5-shadow", 3_053_001, true), ("fts5-shadow", 3_053_002, false),
            ("aggregate-terms", 3_050_001, true), ("aggregate-terms", 3_050_002, false),
        ])
    func security(_ id: String, _ sqlite: Int, _ isAffected: Bool) {
        #expect(Self.defects(of: Self.versions(sqlite)).contains(id) == isAffected)
    }

    @Test("A release or a provider unknown to Lockstep is reported, with the consequences") func providers() {
        let known = Self.defects(of: Self.versions(3_046_001))
        #expect(known.contains("late-provider"))
        #expect(known.isDisjoint(with: ["provider-layout", "other-provider"]))
        for cipher in ["4.7.0 community", "4.20.0 community", "4.6.1 commercial", "5", ""] {
            let newer = Self.defects(of: Self.versions(3_054_000, cipher))
            #expect(newer.contains("provider-layout"), "\(cipher)")
        }
        let other = Self.defects(of: Self.versions(3_054_000, provider: "libtomcrypt"))
        #expect(other.contains("other-provider"))
        #expect(other.isDisjoint(with: ["provider-layout", "late-provider"]))
    }

    @Test("The loaded library is reported with versions, provider and defects")
    func loaded() throws {
        let library = try LoadedLibrary.current()
        #expect(library.summary.contains("SQLCipher \(library.cipherVersion), SQLite 3."))
        #expect(library.defects.contains(.rekey))
        #expect(library.hasOwnProvider == (library.reason == nil))
        #expect(library.cryptoVersion.contains("SSL"))
    }

    // MARK: Terms

    /// A statement with this many different functions on a column.
    private static func sum(_ terms: Int) -> String {
        let groups = stride(from: 0, to: terms, by: 40).map { start in
            (start..<min(start + 40, terms)).map { "sum(a*\($0))" }.joined(separator: "+")
        }
        return "SELECT \(groups.joined(separator: ", ")) FROM t"
    }

    @Test(
        "A statement with more terms than SQLite can count is refused, from a program or a view",
        .enabled(if: try LibraryDefect.aggregates.isLoaded, "the loaded SQLite can count them"))
    func terms() throws {
        let connection = try Connection.inMemory()
        try connection.execute("CREATE TABLE t (a)")
        try connection.execute("INSERT INTO t VALUES (1)")
        // Each of these is a function and a column.
        let few = Self.sum(16_000)
        _ = try connection.query(SQL(verbatim: few)) { _ in }
        let many = SQL(verbatim: Self.sum(17_000))
        Refusal.expect(.limitExceeded) { _ = try connection.query(many) { _ in } }
        try connection.execute("CREATE VIEW v AS \(verbatim: Self.sum(17_000))")
        Refusal.expect(.limitExceeded) { _ = try connection.query("SELECT * FROM v") { _ in } }
        Refusal.expect(.limitExceeded) {
            _ = try connection.query("SELECT count(*) FROM (SELECT * FROM v)") { _ in }
        }
        // The next statement starts a new count.
        _ = try connection.query(SQL(verbatim: few)) { _ in }
    }

    @Test("A statement that SQLite prepares repeatedly is not refused")
    func preparedAgain() throws {
        let connection = try Connection.inMemory()
        try connection.execute("CREATE TABLE t (a)")
        let select = try connection.prepare(SQL(verbatim: "SELECT " + Self.columns))
        for number in 0..<80 {
            try connection.execute("CREATE TABLE t\(verbatim: "\(number)") (a)")
            _ = try select.map { row in try row[0] as Int? }
        }
    }

    /// A thousand columns of one table.
    private static let columns = [String](repeating: "a", count: 1000).joined(separator: ", ") + " FROM t"
}

extension LibraryDefect {
    /// Whether the loaded library has it.
    var isLoaded: Bool { get throws { try LoadedLibrary.current().defects.contains(self) } }
}
