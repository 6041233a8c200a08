/// A command that takes part in rounds of simultaneous commands.
struct RoundCommand: Sendable {
    /// Its name in counts.
    let name: String
    /// A line of shell, without the options that all commands have.
    let line: String
    /// The command that its user runs after it was killed.
    var recovery: String?
    /// A database that it creates, which must be sound if the command reports success.
    var copy: String?
    /// Whether it replaces the database with an older copy.
    var isRestore = false

    private static let key = "--key-file k"
    private static let set = "--key-file k -m shop"

    static let all: [RoundCommand] = [
        .init(name: "migrate", line: "lockstep migrate \(set)"),
        .init(name: "migrate --safe", line: "lockstep migrate --safe \(set)"),
        .init(name: "rollback", line: "lockstep rollback \(set) --to 3"),
        .init(name: "verify", line: "lockstep verify \(set) --fields goods"),
        .init(name: "status", line: "lockstep status \(set)"),
        .init(name: "query", line: "lockstep query 'SELECT count(*) FROM item' \(key) --fields goods"),
        .init(
            name: "rotate-database", line: "lockstep keys rotate-database -d data.db \(key)"),
        .init(name: "rotate-ring", line: "lockstep keys rotate-ring -d data.db \(key)"),
        .init(
            name: "add-slot",
            line: "lockstep keys add-slot more --keyring data.db.keys/database.keyring \(key) " + "--new-key-file l"),
        .init(
            name: "create-key", line: "lockstep keys create-key field --dataset goods \(key)"),
        .init(
            name: "activate-key",
            line: "lockstep keys activate-key field 2 --dataset goods \(key)"),
        .init(
            name: "unseal", line: "lockstep unseal item.name --fields goods \(key) --batch 25"),
        .init(
            name: "reseal", line: "lockstep reseal item.name --fields goods \(key) --batch 25"),
        .init(
            name: "seal", line: "lockstep seal item.price --fields goods \(key) --batch 25"),
        .init(name: "release make", line: "lockstep release make --dataset goods \(key)"),
        .init(name: "backup", line: "lockstep backup copy.db \(key)", recovery: "rm -f copy.db*", copy: "copy.db"),
        .init(name: "salvage", line: "lockstep salvage part.db \(key)", recovery: "rm -f part.db*", copy: "part.db"),
        .init(
            name: "export",
            line: "lockstep export plain.sqlite --plaintext --i-understand \(key)",
            recovery: "rm -f plain.sqlite*"),
        .init(
            name: "restore", line: "lockstep restore old.db \(key)",
            recovery: "true", isRestore: true),
    ]

    /// The control, beside a program that writes: it replaces the database with an older copy without coordination.
    static let careless = RoundCommand(
        name: "cp",
        line:
            "until test -s data.db-wal; do :; done; rm data.db data.db-wal data.db-shm; cp old.db data.db",
        recovery: "true")
}
