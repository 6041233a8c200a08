import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Authorizer")
struct AuthorizerTests {
    private static let dangerous = [
        "key", "rekey", "hexkey", "hexrekey", "textkey", "textrekey", "kdf_iter", "fast_kdf_iter",
        "temp_store_directory", "writable_schema", "cipher_use_hmac", "cipher_page_size",
        "cipher_compatibility", "cipher_hmac_algorithm", "cipher_kdf_algorithm", "cipher_hmac_pgno",
        "cipher_hmac_salt_mask", "cipher_plaintext_header_size", "cipher_salt", "cipher_migrate",
        "cipher_memory_security", "cipher_log", "cipher_log_level", "cipher_profile",
        "cipher_default_use_hmac", "cipher_default_page_size", "cipher_default_kdf_iter",
        "cipher_default_compatibility", "cipher_default_plaintext_header_size", "cipher_add_random",
    ]

    private static let readable = [
        "page_size", "temp_store", "query_only", "journal_mode", "trusted_schema", "cell_size_check", "mmap_size",
    ]

    /// The ways in which SQL can spell the same pragma.
    private static func forms(of name: String) -> [String] {
        let mixed = name.prefix(1).uppercased() + name.dropFirst()
        return [
            "PRAGMA \(name) = '1'", "pragma \(name.uppercased())=OFF", "PrAgMa \(mixed)('x')",
            "PRAGMA main.\(name) = 1", "PRAGMA /* why */ \"\(mixed)\" = 1", "PRAGMA [\(name)] = 1",
            "PRAGMA `\(name)`(0)", "PRAGMA '\(name)' = -1", " \n PRAGMA\t\(name)\n=\n0 ;",
            "PRAGMA \"MAIN\".\"\(name)\" = \"x\"", "EXPLAIN PRAGMA \(name) = 1",
        ]
    }

    @Test(
        "A dangerous pragma is denied in every spelling, and the data survives",
        arguments: dangerous)
    func dangerousPragmas(_ name: String) throws {
        let scratch = try DatabaseScratch()
        try scratch.fill(rows: 20)
        do {
            let connection = try scratch.open()
            for sql in Self.forms(of: name) + ["PRAGMA \(name)", "PRAGMA main.\(name.uppercased())"] {
                let error = try #require(throws: LockstepError.self, "\(sql)") {
                    try connection.execute(SQL(verbatim: sql))
                }
                #expect(error.code == .denied, "\(sql)")
                #expect(error.message.contains(name) && error.hint != nil)
                try scratch.add(rows: 1, to: connection)
            }
        }
        #expect(try scratch.count(scratch.open()) == 20 + Self.forms(of: name).count + 2)
        #expect(try PageAudit(scratch.path).run(key: scratch.key()).isClean)
    }

    @Test("A readable pragma cannot be set", arguments: readable)
    func readOnlyPragmas(_ name: String) throws {
        let scratch = try DatabaseScratch()
        try scratch.fill(rows: 20)
        do {
            let connection = try scratch.open()
            let before: Value? = try connection.value("PRAGMA \(verbatim: name)")
            for sql in Self.forms(of: name) {
                let error = try #require(throws: LockstepError.self, "\(sql)") {
                    try connection.execute(SQL(verbatim: sql))
                }
                #expect(error.code == .denied, "\(sql)")
            }
            #expect(try connection.value("PRAGMA \(verbatim: name)") == before)
            try scratch.add(rows: 1, to: connection)
        }
        #expect(try scratch.count(scratch.open()) == 21)
    }

    @Test("A key in a refused pragma does not appear in the message")
    func noKeyInMessages() throws {
        let connection = try DatabaseScratch().create()
        for sql in ["PRAGMA rekey = 'hunter2'", "PRAGMA key('hunter2')"] {
            let error = try #require(throws: LockstepError.self) {
                try connection.execute(SQL(verbatim: sql))
            }
            #expect(!error.description.contains("hunter2"))
        }
    }

    @Test(
        "ATTACH and VACUUM INTO are denied, and create no file",
        arguments: [
            "ATTACH '%' AS other", "attach database '%' as other key ''", "VACUUM INTO '%'",
            "vacuum main into '%'", "ATTACH 'file:%?key=x' AS other", "ATTACH ':memory:' AS other",
            "ATTACH '' AS other", "EXPLAIN ATTACH '%' AS other",
        ])
    func attaching(_ template: String) throws {
        let scratch = try DatabaseScratch()
        try scratch.fill(rows: 20)
        do {
            let connection = try scratch.open()
            let other = scratch.folder.file("other.db").string
            let sql = template.split(separator: "%", omittingEmptySubsequences: false)
                .joined(separator: other)
            let error = try #require(throws: LockstepError.self) {
                try connection.execute(SQL(verbatim: sql))
            }
            #expect(error.code == .denied)
            #expect(error.hint != nil)
            #expect(try connection.value("SELECT count(*) FROM pragma_database_list") == 1)
        }
        #expect(try scratch.names == ["data.db"])
    }

    @Test("ATTACH with bound values is denied as well")
    func attachingBound() throws {
        let scratch = try DatabaseScratch()
        let connection = try scratch.create()
        let other = scratch.folder.file("other.db").string
        let error = try #require(throws: LockstepError.self) {
            try connection.execute("ATTACH ? AS other KEY ?", other, "")
        }
        #expect(error.code == .denied)
        #expect(!error.description.contains("other.db"))
    }

    @Test(
        "VACUUM as SQL is denied, naming Connection.vacuum(), which shrinks the file")
    func vacuum() throws {
        let scratch = try DatabaseScratch()
        try scratch.fill(rows: 2000)
        let before = try scratch.bytes.count
        do {
            let connection = try scratch.open()
            try connection.execute("DELETE FROM item WHERE id > 100")
            let error = try #require(throws: LockstepError.self) {
                try connection.execute("VACUUM")
            }
            #expect(error.code == .denied)
            #expect(error.hint?.contains("vacuum()") == true)
            try connection.vacuum()
            #expect(connection.isInTransaction == false)
        }
        #expect(try scratch.bytes.count < before / 4)
        #expect(try Array(scratch.bytes.prefix(16)) == DatabaseScratch.salt(1))
        let connection = try scratch.open()
        #expect(try scratch.count(connection) == 100)
        #expect(try connection.headerField("application_id") == Connection.applicationID)
        #expect(try PageAudit(scratch.path).run(key: scratch.key()).isClean)
    }

    @Test("Vacuuming leaves every rowid, and no index")
    func vacuumedRowIDs() throws {
        let connection = try DatabaseScratch().create()
        try connection.run(
            script: """
                CREATE TABLE bare (x TEXT);
                CREATE TABLE "odd ""name" ("a ""b", y AS (1));
                CREATE TABLE keyed (id INTEGER PRIMARY KEY, x);
                CREATE TABLE without (k PRIMARY KEY) WITHOUT ROWID;
                CREATE VIRTUAL TABLE words USING fts5 (t);
                INSERT INTO bare VALUES ('a'), ('b'), ('c');
                INSERT INTO "odd ""name" VALUES ('a'), ('b'), ('c');
                DELETE FROM bare WHERE x = 'b';
                DELETE FROM "odd ""name" WHERE "a ""b" = 'a';
                """)
        let schema = try connection.texts("SELECT type || name || coalesce(sql, '') FROM sqlite_schema ORDER BY 1")
        // What a killed process has left is removed.
        try connection.with(rights: .engine) {
            try connection.execute("CREATE INDEX lockstep_rowids_7 ON bare (x) WHERE 0")
        }
        try connection.vacuum()
        #expect(try connection.query("SELECT rowid FROM bare", as: Int.self) == [1, 3])
        #expect(try connection.query("SELECT rowid FROM \"odd \"\"name\"", as: Int.self) == [2, 3])
        #expect(
            try connection.texts("SELECT type || name || coalesce(sql, '') FROM sqlite_schema ORDER BY 1") == schema)
    }

    @Test("After vacuuming, even if it failed, the authorizer is as strict as before") func strictAfterVacuum() throws {
        let connection = try DatabaseScratch().create()
        try connection.vacuum()
        #expect(throws: LockstepError.self) { try connection.execute("PRAGMA rekey = 'x'") }
        try connection.write { connection in
            #expect(throws: LockstepError.self) { try connection.vacuum() }
            #expect(throws: LockstepError.self) { try connection.execute("PRAGMA rekey = 'x'") }
        }
    }

    @Test("A pragma cannot be used as a table either")
    func pragmaFunctions() throws {
        let connection = try DatabaseScratch().create()
        for name in ["rekey", "key", "cipher_use_hmac", "writable_schema", "temp_store"] {
            let error = try #require(throws: LockstepError.self) {
                try connection.execute("SELECT * FROM pragma_\(verbatim: name)('x')")
            }
            #expect([.sqlFailed, .denied].contains(error.code), "\(name): \(error)")
        }
    }

    @Test("Migrations cannot end their transaction or set a pragma that has no effect inside one")
    func migrations() throws {
        let connection = try DatabaseScratch().create()
        try connection.write { connection in
            try connection.with(rights: .migration) {
                for sql in [
                    "COMMIT", "ROLLBACK", "END", "BEGIN", "PRAGMA foreign_keys = OFF", "PRAGMA Journal_Mode = DELETE",
                    "PRAGMA main.synchronous = 0", "PRAGMA rekey = 'x'", "ATTACH '' AS other",
                ] {
                    let error = try #require(throws: LockstepError.self, "\(sql)") {
                        try connection.execute(SQL(verbatim: sql))
                    }
                    #expect(error.code == .denied, "\(sql)")
                    #expect(error.hint != nil)
                }
                try connection.execute("CREATE TABLE t (a)")
            }
        }
        #expect(try connection.value("SELECT count(*) FROM t") == 0)
    }

    private static let lasting = [
        "ignore_check_constraints", "max_page_count", "secure_delete", "reverse_unordered_selects",
        "case_sensitive_like", "full_column_names", "short_column_names", "count_changes",
    ]

    @Test(
        "A migration cannot set a pragma that would affect later ones", arguments: lasting
    )
    func lastingPragmas(_ name: String) throws {
        let connection = try DatabaseScratch().create()
        let isReadable = name != "case_sensitive_like"
        let before: Value? = isReadable ? try connection.value("PRAGMA \(verbatim: name)") : nil
        try connection.with(rights: .migration) {
            for sql in Self.forms(of: name) {
                let error = try #require(throws: LockstepError.self, "\(sql)") {
                    try connection.execute(SQL(verbatim: sql))
                }
                #expect(error.code == .denied, "\(sql)")
                #expect(error.message.contains(name) && error.hint != nil)
            }
            if isReadable { try connection.execute("PRAGMA \(verbatim: name)") }
        }
        if isReadable { #expect(try connection.value("PRAGMA \(verbatim: name)") == before) }
        // When applied migrations run again for comparison, such a statement neither fails nor takes effect.
        connection.authorizer.isReplay = true
        try connection.with(rights: .migration) {
            try connection.execute("PRAGMA \(verbatim: name) = 1")
        }
        if isReadable { #expect(try connection.value("PRAGMA \(verbatim: name)") == before) }
        connection.authorizer.isReplay = false
        // The program can do with its connection what it wants.
        try connection.execute("PRAGMA \(verbatim: name) = 1")
    }

    @Test("A migration can set the pragmas that its own statements need")
    func ownPragmas() throws {
        let connection = try DatabaseScratch().create()
        try connection.write { connection in
            try connection.with(rights: .migration) {
                for name in ["defer_foreign_keys", "recursive_triggers", "legacy_alter_table"] {
                    try connection.execute("PRAGMA \(verbatim: name) = ON")
                }
            }
        }
    }

    @Test(
        "No SQL sets how much memory the process can use",
        arguments: ["soft_heap_limit", "hard_heap_limit"])
    func heapLimits(_ name: String) throws {
        let connection = try DatabaseScratch().create()
        for mode in [Authorizer.Mode.program, .migration] {
            try connection.with(rights: mode) {
                for sql in Self.forms(of: name) {
                    Refusal.expect(.denied) { try connection.execute(SQL(verbatim: sql)) }
                }
                try connection.execute("PRAGMA \(verbatim: name)")
            }
        }
    }

    @Test("Harmless pragmas work")
    func harmless() throws {
        let connection = try DatabaseScratch().create()
        try connection.execute("PRAGMA foreign_keys = OFF")
        #expect(try connection.value("PRAGMA foreign_keys") == 0)
        #expect(try connection.value("PRAGMA user_version") == 0)
        #expect(try connection.value("PRAGMA integrity_check") == "ok")
        #expect(try connection.value("PRAGMA temp_store") == 2)
    }
}
