import ArgumentParser
import Lockstep

/// What is declared about a version on the command line: `3: allow loss of table drafts`.
struct Declaration {
    let version: MigrationVersion
    let isDown: Bool
    let directive: String

    /// Reads `VERSION: DIRECTIVE`, or `VERSION down: DIRECTIVE` for the way down.
    init(_ text: String) throws {
        let sides = text.split(separator: ":", maxSplits: 1)
        let words = sides.first?.split(separator: " ") ?? []
        guard sides.count == 2, let first = words.first,
            words.count == 1 || (words.count == 2 && words[1] == "down"),
            let version = MigrationVersion(String(first))
        else {
            throw ValidationError(
                "a declaration is a version and a directive, such as '3: allow loss of table drafts'"
            )
        }
        self.version = version
        isDown = words.count == 2
        directive = String(sides[1].drop { $0 == " " })
    }

    func adding(to set: MigrationSet) throws -> MigrationSet {
        try set.declaring(directive, at: version, down: isDown)
    }
}
