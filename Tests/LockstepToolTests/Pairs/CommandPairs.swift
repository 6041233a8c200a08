// Two commands at once
// ====================
//
// Commands of several programs can run at once on one database and its keyrings. What then happens depends on what each
// of the two does, so that each command has a kind, and the table has a line for each two kinds.
//
// It is the oracle of the test that runs each pair, and the table of CommandsAtOnce.md. A command that is added gets a
// line here, or the test fails.

/// What happens if two commands of the tool run at once on one database and its keyrings.
enum CommandPairs {
    /// What happens to two commands.
    enum Outcome: Character, Sendable {
        /// Both run beside each other.
        case together = "t"
        /// One waits for a lock until the other has let it go. The locks are held for milliseconds, for the last step
        /// of a command, or until it ends.
        case waits = "w"
        /// One of them needs the database's file for itself, or changes what the other one needs. It can find the other
        /// one there; then it changes nothing and says so with exit code 5.
        case refuses = "r"
    }

    /// What commands do to a database and its keyrings.
    enum Kind: String, CaseIterable, Sendable {
        /// Use neither the database nor a keyring that it has.
        case apart
        /// Read the database or a keyring.
        case reads
        /// Make a file under a key of the keyring, or from one, and let others write meanwhile.
        case copies
        /// Make a database that the keyring lists as another one.
        case lists
        /// Write rows or versions.
        case writes
        /// Convert cells.
        case converts
        /// Change the database's keyring, and note that in the database.
        case keyring
        /// Give a keyring another ring key or another place: other commands that have read it open it again, unless
        /// they are about to end.
        case rings
        /// Change the keyring of a dataset, and note that in the database.
        case fields
        /// Give the database another file.
        case replaces
        /// Destroy a key.
        case destroys
    }

    /// The outcomes of each kind with those before it, and with itself.
    private static let lines: [(kind: Kind, outcomes: String)] = [
        (.apart, "t"),
        (.reads, "tt"),
        (.copies, "ttt"),
        (.lists, "tttw"),
        (.writes, "ttttw"),
        (.converts, "twwtww"),
        (.keyring, "tttwwww"),
        (.rings, "trrrrrrr"),
        (.fields, "tttttwtrw"),
        (.replaces, "trrwrrrrrr"),
        (.destroys, "ttwwwwwrwrw"),
    ]

    /// What happens to a command of one kind beside one of another.
    static func outcome(_ one: Kind, _ other: Kind) -> Outcome {
        let numbers = [one, other].map { kind in lines.firstIndex { $0.kind == kind } ?? 0 }
        let line = Array(lines[max(numbers[0], numbers[1])].outcomes)
        return Outcome(rawValue: line[min(numbers[0], numbers[1])]) ?? .refuses
    }

    /// Every command of the tool as typed, with the option that makes it another one, without its dashes, and its kind.
    static let commands: [(name: String, kind: Kind)] = [
        ("init", .lists), ("adopt", .lists), ("keys fork", .lists),
        ("backup", .copies), ("salvage", .copies), ("rehearse", .copies),
        ("plan", .reads), ("status", .reads), ("verify", .reads), ("query", .reads),
        ("list", .reads), ("show", .reads), ("export", .reads), ("issue", .reads),
        ("release check", .reads), ("release show", .reads), ("keys list", .reads),
        ("keys check", .reads), ("keys export-raw", .reads),
        ("migrate", .writes), ("migrate abandon", .writes), ("rollback", .writes),
        ("redo", .writes), ("baseline", .writes), ("repair", .writes),
        ("import", .writes), ("release make", .writes), ("insert", .writes), ("update", .writes),
        ("delete", .writes), ("copy", .writes),
        ("migrate safe", .writes), ("restore", .replaces), ("keys rotate-database", .replaces),
        ("seal", .converts), ("unseal", .converts), ("reseal", .converts),
        ("keys add-slot", .keyring), ("keys remove-slot", .keyring),
        ("keys change-passphrase", .keyring), ("keys rotate-ring", .rings), ("keys move", .rings),
        ("keys accept-database", .keyring), ("keys sign", .keyring),
        ("keys create-key", .fields), ("keys activate-key", .fields),
        ("keys mark-compromised", .fields),
        ("keys destroy-key", .destroys),
        ("new", .apart), ("keys init", .apart), ("keys create-key-file", .apart),
        ("keys generate-identity", .apart), ("keys export-recipient", .apart),
    ]
}
