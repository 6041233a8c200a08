import ArgumentParser
import Lockstep

/// The names of the commands, and what a mistyped one was meant to be.
enum CommandNames {
    /// Fails if the arguments name a command that does not exist. The parser calls that an unexpected argument, and
    /// shows help for all commands where somebody asks for help on one.
    /// - Throws: ``LockstepError/Code/misuse`` with the nearest name, if one is near.
    static func require(_ arguments: [String]) throws(LockstepError) {
        var names = arguments.prefix { !$0.hasPrefix("-") }
        if names.first == "help" { names = names.dropFirst() }
        var command: any ParsableCommand.Type = LockstepCommand.self
        var path = "lockstep"
        for name in names {
            let inner = command.configuration.subcommands
            // What follows is an argument of the command.
            guard !inner.isEmpty else { return }
            // exact: names of the source
            guard let next = inner.first(where: { $0._commandName == name }) else {
                // It is an argument of the command that stands for no name.
                guard command.configuration.defaultSubcommand == nil else { return }
                throw unknown(name, path, inner.map { $0._commandName })
            }
            command = next
            path += " \(name)"
        }
    }

    private static func unknown(
        _ name: String, _ path: String, _ known: [String]
    ) -> LockstepError {
        let near = known.map { (name: $0, distance: distance(name, $0)) }
            .filter { $0.distance <= max(1, min(2, $0.name.count / 2)) }
            .min { $0.distance < $1.distance }
        return LockstepError(
            .misuse, "there is no command `\(path) \(name)`",
            hint: near.map { "did you mean `\(path) \($0.name)`?" } ?? "`\(path) --help` lists them")
    }

    /// How many letters must be inserted, left out, replaced or exchanged with the next.
    static func distance(_ one: String, _ other: String) -> Int {
        let (a, b) = (Array(one), Array(other))
        var before: [Int] = []
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var least = min(row[j] + 1, last[j + 1] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    least = min(least, before[j - 1] + 1)
                }
                row.append(least)
            }
            (before, last) = (last, row)
        }
        return last[b.count]
    }
}
