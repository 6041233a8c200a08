import ArgumentParser
import Lockstep
import LockstepModels
import SystemPackage

/// The users and statuses of a microblog.
enum MicroblogCommands: ModelCommands {
    static let entry = "status"
    static let entries = "users and statuses"

    struct Source: ModelSource {
        static let abstract = "Import users and statuses from JSON lines."
        static let discussion = """
            One JSON object per line: a user has "kind":"user", id and name; a status has "kind":"status", text \
            and the user's id, and optionally source and createdAt. A line that is neither is reported with its \
            number; the others are imported in one transaction.
            """
        static let argument = ArgumentHelp("The file with JSON lines.", valueName: "file")

        func read(
            _ path: FilePath, into store: MicroblogStore, _ identity: ImportIdentity?
        ) throws -> ImportReport {
            try store.importJSONLines(path, opening: identity)
        }
    }

    struct Selection: ModelSelection {
        static let abstract = "List statuses with their users, newest first."

        @Option(help: "The maximum number of statuses.")
        var limit = MicroblogStore.defaultLimit

        @Option(help: "Only statuses that contain this word or phrase.")
        var word: String?

        func show(_ store: MicroblogStore, _ output: FormatOptions) throws {
            let entries = try word.map { try store.search($0, limit) } ?? store.timeline(limit)
            try Listing.show(entries, output, ["id", "createdAt", "user", "source", "text"]) {
                entry in
                [.integer(entry.status.id), entry.date, entry.name, .text(entry.source), .text(entry.status.text)]
            }
        }
    }

    struct Target: ModelTarget {
        static let abstract = "Write users and statuses to JSON lines that `lockstep import microblog` reads."

        func write(
            _ store: MicroblogStore, to path: FilePath, sealedFor recipients: [Recipient]
        ) throws -> Int {
            try ExportSealing.write(to: path, for: recipients) { try store.exportJSONLines($0) }
        }
    }

    static func fields(
        of id: Int64, in store: MicroblogStore
    ) throws -> KeyValuePairs<String, Value>? {
        try store.status(id).map { entry in
            [
                "id": .integer(entry.status.id), "createdAt": entry.date, "user": entry.name,
                "userID": entry.status.userID.map(Value.integer) ?? .null,
                "source": .text(entry.source), "text": .text(entry.status.text),
            ]
        }
    }
}

extension TimelineEntry {
    /// When the status was created, in UTC or as the source wrote it.
    fileprivate var date: Value {
        if let instant = status.createdAt { return .text(Instant.text(instant)) }
        return status.createdAtAsWritten.map(Value.text) ?? .null
    }

    fileprivate var name: Value { user.map { .text($0.name) } ?? .null }
}
