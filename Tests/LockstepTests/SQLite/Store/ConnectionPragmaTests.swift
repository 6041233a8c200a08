import TestSupport
import Testing

@testable import Lockstep

@Suite("PRAGMAs of withoutTransaction")
struct ConnectionPragmaTests {
    /// A setting, and a value that it has not at first.
    private static let settings = [
        ("foreign_keys", 0), ("ignore_check_constraints", 1), ("synchronous", 0),
        ("secure_delete", 0), ("recursive_triggers", 1), ("reverse_unordered_selects", 1),
        ("legacy_alter_table", 1), ("max_page_count", 5000), ("cache_size", 77),
        ("read_uncommitted", 1), ("automatic_index", 0), ("busy_timeout", 77),
        ("count_changes", 1), ("short_column_names", 0), ("journal_size_limit", 77),
    ]

    private func value(_ name: String, of store: Store) throws -> Int? {
        try store.blocking.withoutTransaction {
            try $0.value("PRAGMA \(verbatim: name)", as: Int.self)
        }
    }

    @Test("Each is put back when the closure ends, returns or throws", arguments: settings)
    func putBack(name: String, other: Int) throws {
        let scratch = try DatabaseScratch()
        for store in [try Store.create(scratch.path, rawKey: scratch.key()), try Store.inMemory()] {
            let before = try value(name, of: store)
            #expect(before != other)
            for isThrowing in [false, true] {
                try? store.blocking.withoutTransaction { connection in
                    try connection.execute("PRAGMA \(verbatim: "\(name) = \(other)")")
                    #expect(
                        try connection.value("PRAGMA \(verbatim: name)", as: Int.self) == other)
                    if isThrowing { throw Stop() }
                }
                #expect(try value(name, of: store) == before)
            }
        }
    }

    @Test(
        "So is the one that cannot be read, and all of them after a transaction that was left open")
    func others() throws {
        let store = try Store.inMemory()
        try store.blocking.withoutTransaction { try $0.execute("PRAGMA case_sensitive_like = ON") }
        #expect(
            try store.blocking.read { try $0.value("SELECT 'a' LIKE 'A'", as: Bool.self) } == true)
        Refusal.expect(.misuse) {
            try store.blocking.withoutTransaction {
                try $0.execute("PRAGMA foreign_keys = OFF")
                try $0.execute("BEGIN")
            }
        }
        #expect(try value("foreign_keys", of: store) == 1)
    }
}
