import Testing

@testable import Lockstep
@testable import LockstepTool

@Suite("Names of commands")
struct CommandNamesTests {
    @Test("Letters inserted, left out, replaced and exchanged are counted")
    func distance() {
        for (one, other, count) in [
            ("", "", 0), ("list", "list", 0), ("", "list", 4), ("lst", "list", 1),
            ("lits", "list", 1),
            ("qurey", "query", 1), ("reseal", "seal", 2), ("plan", "show", 4),
        ] {
            #expect(CommandNames.distance(one, other) == count, "\(one) \(other)")
            #expect(CommandNames.distance(other, one) == count, "\(other) \(one)")
        }
    }

    @Test("Every command, its help and its arguments pass")
    func known() throws {
        for name in CommandPairs.commands.map(\.name) {
            let words = name.split(separator: " ").map(String.init)
            // The option that makes it another command follows without its dashes.
            let command = ["migrate"].contains(words[0]) ? [words[0]] : words
            try CommandNames.require(command + ["--help"])
            try CommandNames.require(["help"] + command)
            try CommandNames.require(command + ["-d", "x.db", "qurey"])
        }
        try CommandNames.require([])
        try CommandNames.require(["--help"])
        try CommandNames.require(["query", "qurey"])
        try CommandNames.require(["export", "app.sqlite", "--plaintext"])
    }
}
