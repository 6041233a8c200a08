import Subprocess
import SystemPackage
import TestSupport
import Testing

/// Two databases under one keyring. Each script ends with an error if what it checks does not hold.
@Suite("A change of a keyring of several databases")
struct SharedKeyringTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let beginning = """
        set -e; export LOCKSTEP_KEY_FILE=k LOCKSTEP_KEYRING=all.database.keyring; unset LOCKSTEP_DATABASE
        lockstep keys create-key-file k >/dev/null; lockstep keys create-key-file two >/dev/null
        lockstep init -d a.db >/dev/null; lockstep backup b.db -d a.db >/dev/null; lockstep keys fork b.db -d a.db >/dev/null
        rows() { lockstep query 'SELECT count(*) FROM sqlite_schema' -d $1.db >out 2>&1; }

        """

    private func run(_ script: String) async throws {
        let result = try await ToolShell(home: folder.path).run(Self.beginning + script, in: folder.path)
        #expect(result.status == .exited(0), "\(result.text)\(result.errors)")
    }

    @Test("It is written into each that can be opened, so that an older file of any of them is refused")
    func stamped() async throws {
        try await run(
            """
            cp b.db b0
            lockstep keys add-slot two -d a.db --new-key-file two >/dev/null 2>&1; rows a; rows b
            cp b.db b1; cp b0 b.db; rm -f b.db-*; if rows b; then exit 1; fi; grep -q 'database is older' out
            cp b1 b.db
            lockstep keys remove-slot two >/dev/null 2>err; [ ! -s err ]; rows a; rows b
            cp b1 b.db; rm -f b.db-*; if rows b; then exit 1; fi
            """)
    }

    @Test("Those that cannot be opened are named, and are stamped when they are opened next")
    func named() async throws {
        try await run(
            """
            mv b.db away.db
            lockstep keys add-slot two -d a.db --new-key-file two >/dev/null 2>err
            grep -q 'b.db' err && grep -q '1 database of the keyring does not remember' err
            mv away.db b.db; cp b.db b0; mkdir m
            printf -- '-- lockstep: up\\nCREATE TABLE t (a);\\n' >m/0001_t.sql
            lockstep migrate -d b.db -m m >/dev/null; rows b
            cp b0 b.db; rm -f b.db-*; if rows b; then exit 1; fi; grep -q 'database is older' out
            """)
    }

    @Test("An older copy of the keyring is not changed, if any of them has seen the newer one") func older()
        async throws
    {
        try await run(
            """
            cp all.database.keyring old
            lockstep keys add-slot two -d a.db --new-key-file two >/dev/null 2>&1
            cp old all.database.keyring
            for where in "" "-d b.db"; do
              if lockstep keys add-slot late $where --new-key-file two >out 2>&1; then exit 1; fi
              grep -q 'older than the database' out; cmp old all.database.keyring
            done
            rm a.db
            if lockstep keys add-slot late -d a.db --new-key-file two >out 2>&1; then exit 1; fi
            cmp old all.database.keyring
            """)
    }
}
