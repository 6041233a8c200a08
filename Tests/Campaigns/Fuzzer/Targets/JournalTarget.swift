import SystemPackage

@testable import Lockstep

/// The journal of a safe migration: a journal that was read is written, and reads as the same one.
final class JournalTarget: FuzzTarget {
    static let name = "journal"
    static let refusals: Set<LockstepError.Code> = [.malformedInput, .tooLarge]
    private static let database = "films.db"
    private let path = FuzzFile.path(JournalTarget.database)

    static func seeds() -> [String: [UInt8]] {
        let backup = "\(database).20261123-101112\(MigrationBackups.ending)"
        let head = "lockstep-safe-migration 1\nphase "
        let content = "content \(String(repeating: "0a", count: 32))\n"
        let texts = [
            "migrating": "\(head)migrating\nbackup \(backup)\n",
            "verifying": "\(head)verifying\nbackup \(backup)\norigin /a/\(backup)\n\(content)",
            "restoring": "\(head)restoring\nbackup ./\(backup)\n\(content)",
        ]
        return texts.mapValues { Array($0.utf8) }
    }

    func run(_ input: [UInt8]) throws {
        try FuzzFile.write("\(Self.database).safe-migration", input)
        guard let journal = try SafeJournal.read(of: path) else {
            fatalError("a journal is not there")
        }
        // Of foreign folders only the fields that are present can be written.
        let paths = [journal.backup] + [journal.origin].compactMap(\.self)
        require(
            paths.allSatisfy { !$0.string.utf8.contains(0) }, "a path continues after its NUL"
        )
        guard paths.allSatisfy({ $0.removingLastComponent() == FuzzFile.folder }) else { return }
        try journal.write(of: path)
        require(try SafeJournal.read(of: path) == journal, "a journal is read as another one")
    }
}
