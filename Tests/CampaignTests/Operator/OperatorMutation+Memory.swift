@testable import EngineTestSupport
@testable import Lockstep

extension OperatorMutation {
    /// The file's record of its keyring, and its own id.
    static let memory: [OperatorMutation] = [
        OperatorMutation("lockstep_keyring dropped") { connection, _ in
            try connection.execute("DROP TABLE main.lockstep_keyring")
        },
        OperatorMutation("lockstep_keyring emptied") { connection, _ in
            try connection.execute("DELETE FROM main.lockstep_keyring")
        },
        OperatorMutation("the keyring's ring forgotten") { connection, _ in
            try connection.execute("DELETE FROM main.lockstep_keyring WHERE ring <> zeroblob(16)")
        },
        OperatorMutation("a foreign ring in its place") { connection, dice in
            try connection.execute(
                "UPDATE main.lockstep_keyring SET ring = ? WHERE ring <> zeroblob(16) AND dataset IS NULL",
                dice.bytes(16))
        },
        OperatorMutation("a foreign ring beside it") { connection, dice in
            try connection.execute(
                "INSERT INTO main.lockstep_keyring (ring, epoch) VALUES (?, ?)", dice.bytes(16), dice.number(1...99))
        },
        OperatorMutation("another epoch") { connection, dice in
            let change = try dice.pick([Int64(-1), 1, 5, 1 << 40])
            try connection.execute(
                "UPDATE main.lockstep_keyring SET epoch = epoch + ? WHERE ring <> zeroblob(16)", change)
        },
        OperatorMutation("a value of lockstep_keyring changed") { connection, dice in
            try changeAny(in: EngineTables.epochs, connection, &dice)
        },
        OperatorMutation("the database's id removed") { connection, dice in
            if dice.flip() {
                try connection.execute("DELETE FROM main.lockstep_keyring WHERE ring = zeroblob(16)")
            } else {
                try connection.execute("UPDATE main.lockstep_keyring SET database = NULL")
            }
        },
        OperatorMutation("another id") { connection, dice in
            let other = dice.prototype.otherDatabase.id
            let id = dice.flip() ? other : dice.bytes(16)
            try connection.execute("UPDATE main.lockstep_keyring SET database = ? WHERE ring = zeroblob(16)", id)
        },
        OperatorMutation("the id on another row, too") { connection, _ in
            try connection.execute(
                """
                UPDATE main.lockstep_keyring SET database =
                    (SELECT database FROM main.lockstep_keyring WHERE ring = zeroblob(16))
                """)
        },
    ]

    /// The ledger.
    static let ledger: [OperatorMutation] = [
        OperatorMutation("a ledger value changed") { connection, dice in
            try changeAny(in: EngineTables.ledger, connection, &dice)
        },
        OperatorMutation("a ledger row deleted") { connection, dice in
            try deleteAny(from: EngineTables.ledger, connection, &dice)
            if dice.flip() { try count(connection) }
        },
        OperatorMutation("a ledger row added") { connection, dice in
            try addAny(to: EngineTables.ledger, connection, &dice)
            if dice.flip() { try count(connection) }
        },
        OperatorMutation("the ledger emptied") { connection, dice in
            try connection.execute("DELETE FROM main.lockstep_migration")
            if dice.flip() { try count(connection) }
        },
        OperatorMutation("a ledger row without its MAC, and changed") { connection, dice in
            try connection.execute(
                "UPDATE main.lockstep_migration SET mac_dataset = NULL, mac_key_version = NULL, mac = NULL")
            if dice.flip() { try changeAny(in: EngineTables.ledger, connection, &dice) }
        },
        OperatorMutation("the ledger dropped") { connection, _ in
            try connection.execute("DROP TABLE main.lockstep_migration")
        },
        OperatorMutation("the sealing versions forgotten, the registry stripped") {
            connection, _ in
            try connection.execute("DELETE FROM main.lockstep_migration WHERE version IN ('2', '3')")
            try connection.dropGuards()
            for table in RegistryRows.names {
                try connection.execute("DELETE FROM main.\(name: table)")
            }
            try count(connection)
        },
        OperatorMutation("a later version said to be applied") { connection, _ in
            try connection.execute(
                """
                INSERT INTO main.lockstep_migration (position, "set", version, name, checksum_bytes,
                    checksum_text, checksum_tokens, down, applied_at, duration, tool_version)
                SELECT position + 1, "set", '4', '0004_memo.sql', checksum_bytes, checksum_text,
                    checksum_tokens, down, applied_at, duration, tool_version
                FROM main.lockstep_migration ORDER BY position DESC LIMIT 1
                """)
            try count(connection)
        },
        OperatorMutation("user_version changed") { connection, dice in
            try connection.setHeaderField("user_version", dice.number(4...9))
        },
        OperatorMutation("application_id changed") { connection, dice in
            try connection.setHeaderField("application_id", dice.number(0...9))
        },
    ]

    private static func count(_ connection: borrowing Connection) throws {
        let count = try connection.value("SELECT count(*) FROM main.lockstep_migration", as: Int64.self)
        try connection.setHeaderField("user_version", count ?? 0)
    }

    /// The schema around the sealed columns.
    static let schema: [OperatorMutation] = [
        OperatorMutation("the guards dropped") { connection, _ in try connection.dropGuards() },
        OperatorMutation("one guard dropped") { connection, dice in
            let names = try connection.texts("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
            try connection.execute("DROP TRIGGER main.\(name: dice.pick(names) ?? "")")
        },
        OperatorMutation("another primary key") { connection, _ in
            try connection.dropGuards()
            try rebuild(
                "film",
                connection,
                {
                    $0.replacing("id INTEGER PRIMARY KEY", with: "id INTEGER UNIQUE")
                        .replacing(
                            "code INTEGER NOT NULL DEFAULT 0", with: "code INTEGER PRIMARY KEY")
                }
            )
        },
        OperatorMutation("the primary key in another order") { connection, _ in
            try connection.dropGuards()
            try rebuild(
                "credit", connection, { $0.replacing("PRIMARY KEY (film, place)", with: "PRIMARY KEY (place, film)") })
        },
        OperatorMutation("a table replaced by its double") { connection, dice in
            let table = try dice.pick(["film", "credit"])
            if dice.flip() { try connection.dropGuards() }
            let sql = try connection.value(
                "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?", table, as: String.self)
            try connection.execute("ALTER TABLE main.\(name: table) RENAME TO kept")
            try connection.execute(SQL(verbatim: sql ?? ""))
        },
        OperatorMutation("a table renamed") { connection, dice in
            try connection.execute("ALTER TABLE main.\(name: dice.pick(["film", "credit"])) RENAME TO elsewhere")
        },
        OperatorMutation("a sealed column renamed, another in its place") { connection, dice in
            let (table, column) = try dice.pick([("film", "title"), ("film", "note"), ("credit", "role")])
            if dice.flip() { try connection.dropGuards() }
            try connection.execute("ALTER TABLE main.\(name: table) RENAME COLUMN \(name: column) TO kept")
            if dice.flip() {
                try connection.execute("ALTER TABLE main.\(name: table) ADD COLUMN \(name: column)")
            }
        },
        OperatorMutation("two columns' names exchanged") { connection, dice in
            let (one, other) = try dice.pick([("note", "memo"), ("title", "memo"), ("title", "note")])
            if dice.flip() { try connection.dropGuards() }
            for (from, to) in [(one, "between"), (other, one), ("between", other)] {
                try connection.execute("ALTER TABLE main.film RENAME COLUMN \(name: from) TO \(name: to)")
            }
        },
        OperatorMutation("a view of the readable view's name") { connection, dice in
            let kind = dice.flip() ? "VIEW film_open AS SELECT * FROM film" : "TABLE film_open (title, note, year)"
            try connection.execute(SQL(verbatim: "CREATE \(kind)"))
        },
        OperatorMutation("a trigger that copies what is written") { connection, _ in
            try connection.execute("CREATE TABLE main.loot (a, b)")
            try connection.execute(
                """
                CREATE TRIGGER main.take AFTER INSERT ON film BEGIN
                    INSERT INTO loot VALUES (NEW.title, NEW.note);
                END
                """)
        },
        OperatorMutation("a table in the place of what SQLite reports") { connection, dice in
            let name = try dice.pick(["pragma_table_xinfo", "pragma_index_list"])
            try connection.execute("CREATE TABLE main.\(name: name) (a, b, c)")
        },
        OperatorMutation("a sealed column dropped") { connection, _ in
            try connection.dropGuards()
            try connection.execute("ALTER TABLE main.credit DROP COLUMN role")
        },
    ]

    /// Makes a table again with the definition that `change` returns, and the same rows.
    private static func rebuild(
        _ table: String, _ connection: borrowing Connection, _ change: (String) -> String
    ) throws {
        let sql = try connection.value(
            "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?", table, as: String.self)
        let rows = try TableRows(table, connection)
        guard let sql, change(sql) != sql else { throw Nothing() }
        try connection.execute("DROP TABLE main.\(name: table)")
        try connection.execute(SQL(verbatim: change(sql)))
        try rows.write(connection)
    }
}
