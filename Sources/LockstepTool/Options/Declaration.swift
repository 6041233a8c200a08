import ArgumentParser
import Lockstep
import SystemPackage

/// A directive for a version, given on the command line: `3: allow loss of table drafts`.
struct Declaration {
    /// Nil means every version.
    let version: MigrationVersion?
    let isDown: Bool
    let directive: String

    /// Reads `VERSION: DIRECTIVE`, `all: foreign keys off`, or `VERSION down: DIRECTIVE` for the way down.
    init(_ text: String) throws {
        let sides = text.pieces(between: ":", atMost: 1).filter { !$0.isEmpty }
        let words = sides.first?.split(separator: " ") ?? []
        guard sides.count == 2, let first = words.first, words.count == 1 || (words.count == 2 && words[1] == "down"),
            first == "all" || MigrationVersion(String(first)) != nil
        else {
            throw ValidationError(
                "expected a version and a directive, such as '3: allow loss of table drafts'"
            )
        }
        version = first == "all" ? nil : MigrationVersion(String(first))
        isDown = words.count == 2
        directive = String(sides[1].drop { $0 == " " })
        guard version != nil || (directive == "foreign keys off" && !isDown) else {
            throw ValidationError("'all' works only with 'foreign keys off': name the version")
        }
    }

    /// Reads a file with a declaration a line. What follows `#` is a remark.
    /// - Throws: ``LockstepError/Code/malformedInput`` with the line; the errors of reading the file.
    static func read(_ file: FilePath) throws -> [Declaration] {
        let text = try String(decoding: FileAccess.read(file, limit: MigrationSet.defaultLargestFile), as: UTF8.self)
        var found: [Declaration] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let content = line.prefix { $0 != "#" }.drop(while: \.isWhitespace)
            guard let end = content.lastIndex(where: { !$0.isWhitespace }) else { continue }
            do {
                found.append(try Declaration(String(content[...end])))
            } catch let error as ValidationError {
                throw LockstepError(
                    .malformedInput, "\(file):\(index + 1): \(error.message)",
                    hint: "`lockstep plan --write-declare FILE` writes such a file", context: .init(file: file.string))
            }
        }
        return found
    }

    func adding(to set: MigrationSet) throws -> MigrationSet {
        if let version { return try set.declaring(directive, at: version, down: isDown) }
        var set = set
        for version in Set((set.files + set.baselines).map(\.version)) {
            set = try set.declaring(directive, at: version)
        }
        return set
    }
}
