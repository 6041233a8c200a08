@testable import Lockstep

/// A command of ``CommandPairs`` with what it works on in the database of ``CommandPairRunner``.
struct PairCommand: Sendable {
    /// Its name in the table.
    let name: String
    /// A line of shell.
    let line: String
    /// The line of the second of two such commands, which works on something else; nil for the same.
    var second: String?
    /// A database that it makes, and the keyring of that.
    var made: (database: String, keyring: String)?

    var kind: CommandPairs.Kind {
        CommandPairs.commands.first { $0.name == name }?.kind ?? .replaces
    }

    /// Whether it works on a version that was begun.
    var needsBegun: Bool { name == "migrate abandon" }

    private static let key = "--key-file k"
    private static let fields = "--fields goods --key-file k"
    private static let ring = "--keyring Keys/data.database.keyring"
    private static let own = "Keys/data.database.keyring"

    private static func make(
        _ name: String, _ line: String, _ second: String? = nil, made: (database: String, keyring: String)? = nil
    ) -> PairCommand {
        PairCommand(name: name, line: "exec lockstep \(line)", second: second.map { "exec lockstep \($0)" }, made: made)
    }

    static let all: [PairCommand] = makers + readers + writers + keyrings + apart

    private static let makers = [
        make(
            "init", "init -d new.db \(key)", "init -d new2.db \(key)", made: ("new.db", "new.db.keys/database.keyring")),
        make(
            "adopt", "adopt plain.sqlite -d taken.db --share-keyring \(ring) \(key)",
            "adopt plain.sqlite -d taken2.db --share-keyring \(ring) \(key)", made: ("taken.db", own)),
        make("keys fork", "keys fork fork.db \(fields)", "keys fork fork2.db \(fields)", made: ("fork.db", own)),
        make("backup", "backup copy.db \(key)", "backup copy2.db \(key)", made: ("copy.db", own)),
        make(
            "salvage", "salvage part.db \(fields)", "salvage part2.db \(fields)",
            made: ("part.db", own)),
        make("rehearse", "rehearse -m sets \(fields)"),
    ]

    private static let readers = [
        make("plan", "plan -m sets \(fields)"),
        make("status", "status -m sets \(key)"),
        make("verify", "verify -m sets \(fields)"), make("query", "query 'SELECT count(*) FROM item_open' \(fields)"),
        make("list", "list notes \(key)"),
        make("show", "show notes 1 \(key)"),
        make(
            "export", "export out.sqlite --plaintext --i-understand \(key)",
            "export out2.sqlite --plaintext --i-understand \(key)"),
        make(
            "issue", "issue out.keyring --dataset goods \(key) --recipient $(cat r)",
            "issue out2.keyring --dataset goods \(key) --recipient $(cat r)"),
        make("release check", "release check \(fields) --publisher $(cat p)"),
        make("release show", "release show \(key)"),
        make("keys list", "keys list \(ring)"),
        make("keys check", "keys check \(ring) \(key)"),
        make("keys export-raw", "keys export-raw --i-understand \(key)"),
    ]

    private static let writers = [
        make("migrate", "migrate -m sets \(fields)"), make("migrate safe", "migrate --safe -m sets \(fields)"),
        make("migrate abandon", "migrate --abandon 5 -m sets --set shop \(fields)"),
        make("rollback", "rollback -m sets --set shop \(fields)"), make("redo", "redo -m sets --set shop \(fields)"),
        make(
            "baseline", "baseline --at 1 -m base \(key)", "baseline --at 1 -m base2 \(key)"),
        make("repair", "repair --apply -m sets \(fields)"), make("import", "import notes note.txt \(key)"),
        make("insert", "insert notes text=new \(key)"), make("update", "update notes 1 text=other \(key)"),
        make("delete", "delete notes 2 \(key)", "delete notes 3 \(key)"),
        make("release make", "release make --dataset goods \(key)"),
        make("seal", "seal item.price \(fields)", "seal item.stock \(fields)"),
        make("unseal", "unseal item.name \(fields)", "unseal item.sort \(fields)"),
        make("reseal", "reseal item.colour \(fields)", "reseal item.size \(fields)"),
        make("restore", "restore old.db \(fields)"), make("keys rotate-database", "keys rotate-database \(key)"),
    ]

    private static let keyrings = [
        make(
            "keys add-slot", "keys add-slot three \(ring) \(key) --new-key-file l",
            "keys add-slot four -d data.db \(key) --new-key-file l"),
        make("keys remove-slot", "keys remove-slot one -d data.db \(key)", "keys remove-slot two \(ring) \(key)"),
        make("keys rotate-ring", "keys rotate-ring -d data.db --drop-others \(key)"),
        make("keys move", "keys move \(fields)"),
        make("keys accept-database", "keys accept-database --i-understand \(fields)"),
        make("keys sign", "keys sign \(ring) \(key) --publisher-keyring Keys/goods.fields.keyring"),
        make("keys create-key", "keys create-key field --dataset goods \(key)"),
        make(
            "keys activate-key", "keys activate-key field 3 --dataset goods \(key)",
            "keys activate-key index 2 --dataset goods \(key)"),
        make(
            "keys mark-compromised", "keys mark-compromised manifest 1 --dataset goods \(key)",
            "keys mark-compromised manifest 2 --dataset goods \(key)"),
        make(
            "keys destroy-key", "keys destroy-key database 1 -d data.db --i-understand \(key)",
            "keys destroy-key database 2 -d data.db --i-understand \(key)"),
        // Key 1 has cells: it stays.
        make(
            "keys destroy-key", "keys destroy-key field 1 --dataset goods -d data.db --i-understand \(key)",
            "keys destroy-key manifest 1 --dataset goods --i-understand \(key)"),
    ]

    private static let apart = [
        make("new", "new more -m own"),
        make(
            "keys init", "keys init --dataset more --keys more --new-key-file l",
            "keys init --dataset else --keys more --new-key-file l"),
        make("keys create-key-file", "keys create-key-file n3", "keys create-key-file n4"),
        make("keys generate-identity", "keys generate-identity i", "keys generate-identity i2"),
        make("keys export-recipient", "keys export-recipient friend"),
    ]
}
