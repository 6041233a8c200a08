/// A command that writes, its initial state, and the output that shows whether it completed.
struct CommandScenario: Sendable, CustomStringConvertible {
    let name: String
    /// Lines of shell that create its initial state, after ``basics``.
    var setup = Self.database
    /// The command's arguments.
    let command: String
    /// Lines of shell whose output is the same as before or after the command. They change nothing.
    var probe = Self.rows
    /// Accepted exit codes, besides 0, if the command runs again after it completed.
    var again: Set<Int32> = []
    /// Lines of shell that users run after an interruption, if that is not the command again.
    var recovery: String?
    /// Whether it works in permanent steps, so that it can stop between before and after.
    var hasSteps = false

    var description: String { name }

    /// A key file, and a migration set of three versions, one of which works in batches.
    static let basics = """
        set -e
        lockstep keys create-key-file k
        mkdir shop
        printf '%s\\n' '-- lockstep: up' 'CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price INTEGER);' \\
            'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 60)' \\
            "INSERT INTO item SELECT i, 'item ' || i, i * 3 FROM n;" \\
            '-- lockstep: down' '-- lockstep: allow loss of table item' 'DROP TABLE item;' >shop/0001_item.sql
        printf '%s\\n' '-- lockstep: up' 'ALTER TABLE item ADD COLUMN stock INTEGER;' \\
            '-- lockstep: backfill item batch=20' 'UPDATE item SET stock = 7 WHERE id BETWEEN :first AND :last;' \\
            '-- lockstep: down' '-- lockstep: allow loss of column item.stock' 'ALTER TABLE item DROP COLUMN stock;' \\
            >shop/0002_stock.sql
        printf '%s\\n' '-- lockstep: up' 'CREATE INDEX item_name ON item (name);' \\
            '-- lockstep: down' 'DROP INDEX item_name;' >shop/0003_index.sql

        """
    private static let database = """
        lockstep init --key-file k --dataset goods
        lockstep migrate --key-file k -m shop --to 1

        """
    private static let second = database + "lockstep migrate --key-file k -m shop --to 2\n"
    private static let newest = database + "lockstep migrate --key-file k -m shop\n"
    private static let sealed = second + "lockstep seal item.name --fields goods --key-file k --first-time\n"

    private static let rows = """
        lockstep query 'SELECT * FROM item' --key-file k 2>&1 | cksum
        lockstep query 'SELECT name FROM sqlite_schema' --key-file k 2>&1
        lockstep verify --key-file k -m shop >/dev/null 2>&1; echo $?
        """
    private static let sealedRows = """
        lockstep query 'SELECT * FROM item_open' --key-file k --fields goods 2>/dev/null | cksum
        lockstep query 'SELECT * FROM item' --key-file k 2>/dev/null | grep -c item
        lockstep verify --key-file k --fields goods -m shop >/dev/null 2>&1; echo $?
        """
    private static func keyring(_ name: String = "database") -> String {
        """
        lockstep keys list --keyring data.db.keys/\(name).keyring 2>&1 | sed 's/since .*//; s/, epoch [0-9]*//; s/[0-9a-f]\\{32\\}//'
        lockstep keys check --keyring data.db.keys/\(name).keyring --key-file k >/dev/null 2>&1; echo $?

        """
    }
    /// A second database beside the first one.
    private static func other(_ path: String) -> String {
        """
        lockstep query 'SELECT * FROM item' -d \(path) --keyring data.db.keys/database.keyring --key-file k 2>/dev/null | cksum
        test -e \(path) && lockstep verify -d \(path) --keyring data.db.keys/database.keyring --key-file k >/dev/null; echo $?

        """
    }

    static let all: [CommandScenario] = migrations + keys + cells + copies

    private static let migrations: [CommandScenario] = [
        .init(name: "migrate", command: "migrate --key-file k -m shop", hasSteps: true),
        .init(name: "migrate --safe", command: "migrate --safe --key-file k -m shop", hasSteps: true),
        .init(name: "rollback", setup: newest, command: "rollback --key-file k -m shop --to 1", hasSteps: true),
        .init(
            name: "redo", setup: newest, command: "redo --key-file k -m shop",
            recovery: "lockstep migrate --key-file k -m shop", hasSteps: true),
        .init(
            name: "baseline",
            setup: """
                lockstep init --key-file k --dataset goods
                lockstep migrate --key-file k -m shop --to 1
                mkdir other; sed 's/item/thing/g' shop/0001_item.sql >other/0001_thing.sql

                """, command: "baseline --at 1 --accept-differences --key-file k -m other",
            probe: rows + "\nlockstep status --key-file k -m other 2>&1 | cut -c 1-20", again: [1]),
        .init(
            name: "new", command: "new add_colour -m shop", probe: "ls shop; cat shop/* | cksum",
            recovery: "ls shop/*add_colour* >/dev/null 2>&1 || lockstep new add_colour -m shop"),
    ]

    private static let keys: [CommandScenario] = [
        .init(
            name: "keys create-key-file", setup: "", command: "keys create-key-file own",
            probe: "test ! -e own || wc -c <own", again: [1]),
        .init(
            name: "keys generate-identity", setup: "", command: "keys generate-identity own",
            probe: "test ! -e own || lockstep keys export-recipient own | wc -c", again: [1]),
        .init(
            name: "init", setup: "", command: "init --key-file k --dataset goods",
            probe: """
                ls data.db.keys 2>/dev/null
                test -e data.db && lockstep verify --key-file k -m shop >/dev/null 2>&1; echo $?
                lockstep keys check --keyring data.db.keys/goods.fields.keyring --key-file k >/dev/null 2>&1; echo $?
                """, again: [1], hasSteps: true),
        .init(
            name: "keys add-slot", setup: database + "lockstep keys create-key-file l\n",
            command:
                "keys add-slot second --keyring data.db.keys/database.keyring --key-file k --new-key-file l",
            probe: keyring() + rows, again: [1]),
        .init(
            name: "keys remove-slot",
            setup: database + """
                lockstep keys create-key-file l
                lockstep keys add-slot second --keyring data.db.keys/database.keyring --key-file k --new-key-file l

                """, command: "keys remove-slot second --keyring data.db.keys/database.keyring --key-file k",
            probe: keyring() + rows, again: [1, 66]),
        .init(
            name: "keys move",
            setup: """
                lockstep init --keys Keys --key-file k --dataset goods
                lockstep migrate --key-file k -m shop --to 1 2>/dev/null

                """, command: "keys move -d data.db --fields goods --key-file k",
            probe: rows + """

                lockstep keys check -d data.db --key-file k >/dev/null 2>&1; echo $?
                lockstep keys check -d data.db --dataset goods --key-file k >/dev/null 2>&1; echo $?
                ls Keys/*.keyring 2>/dev/null
                """, hasSteps: true),
        .init(name: "keys rotate-ring", command: "keys rotate-ring -d data.db --key-file k", probe: keyring() + rows),
        .init(
            name: "keys create-key", command: "keys create-key field --dataset goods --key-file k",
            probe: keyring("goods.fields") + rows,
            // A second run makes one more key.
            recovery:
                "lockstep keys list --keyring data.db.keys/goods.fields.keyring | grep -q 'field key 2' || "
                + "lockstep keys create-key field --dataset goods --key-file k"),
        .init(
            name: "keys activate-key", setup: sealed + "lockstep keys create-key field --dataset goods --key-file k\n",
            command: "keys activate-key field 2 --dataset goods --key-file k",
            probe: keyring("goods.fields") + sealedRows, again: [1]),
        .init(
            name: "keys rotate-database", command: "keys rotate-database -d data.db --key-file k",
            probe: rows, hasSteps: true),
        .init(
            name: "keys sign",
            command: "keys sign --keyring data.db.keys/database.keyring --key-file k "
                + "--publisher-keyring data.db.keys/goods.fields.keyring",
            probe: keyring() + rows),
    ]

    private static let cells: [CommandScenario] = [
        .init(
            name: "seal", setup: second, command: "seal item.name --fields goods --key-file k --first-time --batch 25",
            probe: sealedRows, again: [1, 64], hasSteps: true),
        .init(
            name: "seal --index", setup: second,
            command: "seal item.name --index exact --accept-histogram --fields goods --key-file k --first-time "
                + "--batch 25",
            probe: sealedRows, again: [1, 64], hasSteps: true),
        .init(
            name: "unseal", setup: sealed,
            command: "unseal item.name --fields goods --key-file k --batch 25",
            probe: rows, again: [1, 64], hasSteps: true),
        .init(
            name: "reseal",
            setup: sealed + """
                lockstep keys create-key field --dataset goods --key-file k
                lockstep keys activate-key field 2 --dataset goods --key-file k

                """, command: "reseal item.name --fields goods --key-file k --batch 25",
            probe: sealedRows,
            hasSteps: true),
        .init(
            name: "issue", setup: sealed + "lockstep keys generate-identity friend\n",
            command: "issue out.keyring --dataset goods --key-file k --recipient RECIPIENT",
            probe:
                "test ! -e out.keyring || lockstep keys check --keyring out.keyring --identity friend >/dev/null; echo $?",
            again: [1]),
        .init(
            name: "release make", setup: sealed, command: "release make --dataset goods --key-file k",
            probe: sealedRows + "\nlockstep release check --key-file k --fields goods >/dev/null 2>&1; echo $?",
            hasSteps: true),
    ]

    private static let copies: [CommandScenario] = [
        .init(
            name: "backup", setup: newest, command: "backup copy.db --key-file k",
            probe: rows + "\n" + other("copy.db"), again: [1]),
        .init(
            name: "keys fork", setup: newest + "lockstep backup copy.db --key-file k\n",
            command: "keys fork copy.db --key-file k",
            probe: rows + "\n" + other("copy.db")
                + "lockstep keys list --keyring data.db.keys/database.keyring 2>/dev/null | grep -c '[.]db'",
            again: [1, 64], hasSteps: true),
        .init(
            name: "restore",
            setup: database + "lockstep backup copy.db --key-file k\nlockstep migrate --key-file k -m shop\n",
            command: "restore copy.db --key-file k"),
        .init(
            name: "adopt",
            setup: newest
                + "lockstep init -d other.db --key-file k\nlockstep migrate -d other.db --key-file k -m shop\n"
                + "lockstep export plain.sqlite -d other.db --plaintext --i-understand --key-file k\n",
            command:
                "adopt plain.sqlite -d new.db --share-keyring --keyring data.db.keys/database.keyring --key-file k",
            probe: other("new.db"), again: [1]),
        .init(
            name: "salvage", setup: newest, command: "salvage part.db --key-file k",
            probe: rows + "\n" + other("part.db"), again: [1]),
        .init(
            name: "export", setup: newest, command: "export plain.sqlite --plaintext --i-understand --key-file k",
            probe: "test ! -e plain.sqlite || wc -c <plain.sqlite", again: [1]),
    ]
}
