import TestSupport

/// A random schema and a random version over it, for a server: foreign keys with every action, a trigger that writes to another
/// table, updates, deletions, and tables that are replaced by hand.
struct ServerEffectScript {
    let schema: [String]
    private(set) var statements: [String] = []
    /// The tables whose rows a statement changes by name, and the columns of replaced ones that it sets.
    private(set) var said: Set<String> = []
    /// Whether a statement has replaced the children.
    private(set) var replaces = false

    /// All tables. The column `u` of each numbers its rows, and nothing changes it.
    static let tables = ["p", "c", "l"]

    init(seed: UInt64) {
        var dice = SplitMix64(state: seed)
        let actions = ["NO ACTION", "CASCADE", "SET NULL", "SET DEFAULT"]
        let delete = actions.randomElement(using: &dice) ?? ""
        let update = actions.randomElement(using: &dice) ?? ""
        let event = ["UPDATE OF v", "DELETE", "UPDATE", "INSERT"].randomElement(using: &dice) ?? ""
        let level = Bool.random(using: &dice) ? "ROW" : "STATEMENT"
        schema = [
            "CREATE TABLE p (u int, id int PRIMARY KEY, v int)",
            """
            CREATE TABLE c (u int PRIMARY KEY, p int DEFAULT 1 REFERENCES p ON DELETE \(delete) ON UPDATE \(update), v int)
            """,
            "CREATE TABLE l (u int PRIMARY KEY, v int)",
            """
            CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN UPDATE l SET v = v + 1 WHERE u < 3; RETURN NULL; END$$
            """,
            "CREATE TRIGGER t AFTER \(event) ON c FOR EACH \(level) EXECUTE FUNCTION f()",
            "INSERT INTO p SELECT i, i, 10 * i FROM generate_series(1, 4) AS i",
            "INSERT INTO c SELECT i, 1 + i % 4, 100 * i FROM generate_series(1, 12) AS i",
            "INSERT INTO l SELECT i, 0 FROM generate_series(1, 4) AS i",
        ]
        for _ in 0..<Int.random(in: 1...4, using: &dice) { add(&dice) }
    }

    private mutating func add(_ dice: inout SplitMix64) {
        let row = Int.random(in: 1...4, using: &dice)
        switch Int.random(in: 0..<10, using: &dice) {
        case 0: update("p", "UPDATE p SET v = v + 1 WHERE id = \(row)")
        case 1: update("p", "UPDATE ONLY public.p SET id = id + 10 WHERE u = \(row)")
        case 2: statements.append("DELETE FROM p WHERE u = \(row)")
        case 3: statements.append("DELETE FROM c WHERE u % 4 = \(row - 1)")
        case 4: update("c", "UPDATE c SET v = v + 1 WHERE u > \(row)")
        case 5: update("c", "WITH a AS (UPDATE c SET p = NULL WHERE u = \(row) RETURNING u) SELECT * FROM a")
        case 6 where !replaces: statements.append("INSERT INTO c SELECT 50 + max(u), NULL, 5 FROM c")
        case 7: update("l", "DO $$BEGIN EXECUTE 'UPDATE l SET v = v + 1'; END$$")
        default:
            let isInserting = statements.contains { $0.hasPrefix("INSERT INTO c ") }
            guard !replaces, !isInserting else { return update("p", "UPDATE p SET v = 0") }
            replaces = true
            let fill = [
                "SELECT u, p, v FROM c", "SELECT u, p, v FROM c", "SELECT u, p, v + 1 FROM c",
                "SELECT u, p, v FROM c WHERE u <> \(row)", "SELECT c.u, c.p, c.v FROM c JOIN p ON p.id = c.p",
                "SELECT u, p, v % 700 FROM c", "SELECT u, p, first_value(v) OVER (ORDER BY u) FROM c",
            ].randomElement(using: &dice)
            statements += [
                "CREATE TABLE n (u int PRIMARY KEY, p int, v int)", "INSERT INTO n \(fill ?? "")",
                "DROP TRIGGER t ON c",
                "DROP TABLE c", "ALTER TABLE n RENAME TO c",
            ]
        }
    }

    private mutating func update(_ table: String, _ sql: String) {
        said.insert(table)
        statements.append(sql)
    }

    func text(_ declarations: [String]) -> String {
        ServerScratch.up(
            (declarations.map { "-- lockstep: \($0)" } + statements.map { "\($0);" }).joined(separator: "\n"))
    }
}
