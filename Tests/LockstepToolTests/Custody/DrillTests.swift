import Subprocess
import SystemPackage
import TestSupport
import Testing

/// What people do around a database with its backups, and what then must be true of the database. Each script ends with
/// an error if it is not, and prints what its last command said.
@Suite("Drills, copies and moves beside a database harm nothing")
struct DrillTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The beginning of each script: a migrated database `prod.db` and its backup.
    private static let beginning = """
        set -e; export LOCKSTEP_KEY_FILE=k; K="--keyring prod.db.keys/database.keyring"
        lockstep keys create-key-file k >/dev/null; mkdir m
        printf -- '-- lockstep: up\\nCREATE TABLE t (a);\\nINSERT INTO t VALUES (1);\\n' >m/0001_t.sql
        lockstep init -d prod.db >/dev/null; lockstep migrate -d prod.db -m m >/dev/null; lockstep backup b.db -d prod.db >/dev/null
        whole() { lockstep migrate -d prod.db -m m >/dev/null; lockstep verify -d prod.db -m m >/dev/null; }
        # Runs the command that the refusal of another one names.
        follow() {
          if "$@" >out 2>&1; then echo "not refused: $*"; exit 1; fi
          sed -n 's/^hint:[^`]*`\\(lockstep keys fork [^`]*\\)`.*/\\1/p' out >hint; [ -s hint ] || { cat out; exit 1; }; sh hint; "$@" >/dev/null
        }

        """

    private func run(_ script: String) async throws -> String {
        let result = try await ToolShell(home: folder.path).run(Self.beginning + script, in: folder.path)
        #expect(result.status == .exited(0), "\(result.text)\(result.errors)")
        return result.text
    }

    @Test("A copy is refreshed every night, rotated, and its old key destroyed") func refreshed() async throws {
        _ = try await run(
            """
            for night in 1 2 3; do lockstep restore b.db -d staging.db $K >/dev/null 2>&1; whole; done
            lockstep query 'SELECT a FROM t' -d staging.db $K >/dev/null
            [ $(lockstep keys list -d prod.db | grep -c ' database [0-9a-f]') = 2 ]
            lockstep keys rotate-database -d staging.db $K >/dev/null
            if lockstep keys destroy-key database 1 -d staging.db $K --i-understand >out 2>&1; then exit 1; fi
            grep -q 'prod.db is encrypted with it' out
            whole
            """)
    }

    @Test("The same with cp, where the refusal names the command that ends it", arguments: ["b.db", "prod.db"])
    func copied(source: String) async throws {
        _ = try await run(
            """
            cp \(source) staging.db; lockstep keys fork staging.db -d prod.db >/dev/null; whole
            for night in 1 2; do
              cp \(source) staging.db; whole
              follow lockstep query 'SELECT a FROM t' -d staging.db $K
              whole
            done
            """)
    }

    @Test("A file that was copied with cp, and one that was exchanged with mv, are the ones that are refused")
    func moved() async throws {
        _ = try await run(
            """
            cp prod.db twin.db; follow lockstep query 'SELECT a FROM t' -d twin.db $K; whole
            mv prod.db old.db; cp b.db prod.db
            follow lockstep query 'SELECT a FROM t' -d old.db $K
            # The backup is from before both forks.
            if lockstep query 'SELECT a FROM t' -d prod.db >out 2>&1; then exit 1; fi
            grep -q 'older than its keyring remembers' out
            """)
    }

    @Test("An export that is adopted where another database was seen becomes that one, and opens")
    func adopted() async throws {
        _ = try await run(
            """
            lockstep restore b.db -d staging.db $K >/dev/null 2>&1; rm staging.db*
            raw=$(lockstep keys export-raw -d prod.db --i-understand)
            echo "PRAGMA key=\\"$raw\\"; ATTACH DATABASE 'plain.db' AS p KEY ''; SELECT sqlcipher_export('p');" >s.sql
            sqlcipher -batch prod.db <s.sql >/dev/null
            lockstep adopt plain.db -d staging.db $K --share-keyring >/dev/null
            lockstep query 'SELECT a FROM t' -d staging.db $K >/dev/null; whole
            """)
    }

    @Test("At a path where another database was seen, a link to this one is refused, and this one opens")
    func linked() async throws {
        _ = try await run(
            """
            mkdir -p t/a t/b
            for t in a b; do
              sqlcipher -batch $t.sqlite "CREATE TABLE t (a); INSERT INTO t VALUES ('$t');" >/dev/null
              lockstep adopt $t.sqlite -d t/$t/app.db $K --share-keyring >/dev/null
            done
            cp -R t t0
            query() { lockstep query 'SELECT a FROM t' -d $1 $K >out 2>&1; }
            query t/a/app.db; query t/b/app.db
            rm -r t/b; ln -s a t/b
            for path in t/b/app.db ./t/b/app.db t/a/../b/./app.db; do
              if query $path; then echo "opened: $(cat out)"; exit 1; fi
              grep -q exchanged out
            done
            query t/a/app.db; query ./t/a/app.db
            # A link above both is followed.
            rm -r t; cp -R t0 t; ln -s t here; query here/a/app.db; query here/b/app.db
            # A file with two names belongs to none of them.
            ln -f t/a/app.db t/b/app.db
            if query t/b/app.db; then exit 1; fi
            grep -q 'has 2 names' out
            """)
    }

    @Test("A copy is not accepted as the database, and does not take its keyring", arguments: [true, false])
    func accepted(isBackup: Bool) async throws {
        _ = try await run(
            """
            \(isBackup ? "cp b.db e.db" : "cp prod.db e.db")
            if lockstep keys accept-database -d e.db $K --i-understand >out 2>&1; then exit 1; fi
            if lockstep keys accept-database --new -d e.db $K --i-understand >out 2>&1; then exit 1; fi
            whole
            if lockstep keys move -d e.db $K >out 2>&1; then exit 1; fi
            grep -q 'is the keyring of' out; whole
            mv prod.db moved.db; lockstep keys move -d moved.db $K >/dev/null; lockstep query 'SELECT a FROM t' -d moved.db >/dev/null
            """)
    }

    @Test("An older fields keyring is neither opened nor changed, once its database has seen the newer one")
    func olderFields() async throws {
        _ = try await run(
            """
            lockstep keys init --dataset goods -d prod.db --key-file k >/dev/null
            for name in two three; do lockstep keys create-key-file $name.key >/dev/null; done
            printf -- '-- lockstep: up\\nCREATE TABLE item (id INTEGER PRIMARY KEY, a TEXT);\\n' >m/0002_item.sql
            lockstep migrate -d prod.db -m m >/dev/null; lockstep seal item.a -d prod.db --fields goods --first-time >/dev/null
            FILE=prod.db.keys/goods.fields.keyring; DATASET="-d prod.db --dataset goods"
            slot() { lockstep keys add-slot $1 $DATASET --new-key-file $2.key >out 2>&1; }
            slot two two; cp $FILE old; lockstep keys remove-slot two $DATASET >/dev/null; cp $FILE new
            cp old $FILE
            if lockstep query 'SELECT a FROM item_open' -d prod.db --fields goods >out 2>&1; then exit 1; fi
            grep -q 'older than the database' out
            for number in 1 2 3 4; do
              if slot more$number three; then echo "changed: $number"; exit 1; fi
              grep -q 'older than the database' out
            done
            cmp old $FILE
            cp new $FILE; slot three three; lockstep keys rotate-ring $DATASET --drop-others >/dev/null
            cp new $FILE
            if slot more three; then exit 1; fi
            """)
    }

    @Test("With the fields keyring at hand, a restored or forked older copy is remembered as it is")
    func sealed() async throws {
        _ = try await run(
            """
            lockstep keys init --dataset goods -d prod.db --key-file k >/dev/null
            printf -- '-- lockstep: up\\nCREATE TABLE item (id INTEGER PRIMARY KEY, a TEXT, b TEXT);\\n' >m/0002_item.sql
            echo "INSERT INTO item VALUES (1, 'a1', 'b1');" >>m/0002_item.sql
            lockstep migrate -d prod.db -m m >/dev/null; lockstep seal item.a -d prod.db --fields goods --first-time >/dev/null
            lockstep backup one.db -d prod.db >/dev/null; lockstep backup two.db -d prod.db >/dev/null
            lockstep seal item.b -d prod.db --fields goods >/dev/null
            lockstep restore one.db -d c.db $K --fields goods >out 2>&1
            grep -q 'remembers c.db as it is now' out
            lockstep query 'SELECT a FROM item_open' -d c.db $K --fields goods >/dev/null
            lockstep keys fork two.db -d prod.db --fields goods >/dev/null 2>&1
            lockstep query 'SELECT a FROM item_open' -d two.db $K --fields goods >/dev/null
            lockstep restore one.db -d c.db $K --fields goods >out 2>&1
            lockstep query 'SELECT a FROM item_open' -d c.db $K --fields goods >/dev/null
            lockstep query 'SELECT a FROM item_open' -d prod.db --fields goods >/dev/null
            """)
    }

    @Test("A command that gives a new slot its secret runs once, though the keyring changes meanwhile")
    func secrets() async throws {
        try folder.write(
            "secret",
            """
            #!/bin/sh
            cd '\(folder.path)'; echo run >>runs
            [ $(wc -l <runs) -gt 1 ] || lockstep keys add-slot beside -d prod.db --key-file k --new-key-file l >/dev/null 2>&1
            echo 0123456789abcdef0123456789abcdef
            """)
        _ = try await run(
            """
            chmod +x secret; lockstep keys add-slot own -d prod.db --new-command "$PWD/secret" >/dev/null
            [ $(wc -l <runs) = 1 ]; lockstep keys list -d prod.db >list; grep -q beside list; grep -q own list; whole
            """)
    }

    @Test("A damaged backup from before a rotation gives its other rows back") func damaged() async throws {
        _ = try await run(
            """
            printf -- '-- lockstep: up\\nCREATE TABLE orders (id INTEGER PRIMARY KEY, what TEXT);\\n' >m/0002_a.sql
            echo "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500) INSERT INTO orders SELECT i, printf('%.200c', 'x') FROM n;" >>m/0002_a.sql
            lockstep migrate -d prod.db -m m >/dev/null; lockstep backup old.db -d prod.db >/dev/null
            printf '\\0\\0\\0\\0' | dd of=old.db bs=1 seek=49252 conv=notrunc 2>/dev/null
            lockstep keys rotate-database -d prod.db >/dev/null; rm prod.db
            lockstep salvage s.db -d old.db $K >out 2>&1 || [ $? = 65 ]
            [ $(lockstep query 'SELECT count(*) FROM orders' -d s.db $K | tail -n 1) -gt 400 ]
            """)
    }
}
