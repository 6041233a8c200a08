import ArgumentParser
import Lockstep
import LockstepModels
import SystemPackage

extension Import {
    /// `lockstep import microblog FILE.jsonl`
    struct Microblog: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Import users and statuses from JSON lines.",
            discussion: """
                One JSON object per line: a user has "kind":"user", id and name; a status has "kind":"status", text \
                and the user's id, and optionally source and createdAt. A line that is neither is reported with its \
                number; the others are imported in one transaction.
                """)

        @Argument(help: "The file with JSON lines.")
        var file: String

        @OptionGroup var options: ImportOptions

        func run() throws {
            try options.run(MicroblogStore.self, file, "users and statuses") { store, identity in
                try store.importJSONLines(FilePath(file), opening: identity)
            }
        }
    }
}

extension List {
    /// `lockstep list microblog`
    struct Microblog: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List statuses with their users, newest first.")

        @Option(help: "The maximum number of statuses.")
        var limit = MicroblogStore.defaultLimit

        @Option(help: "Only statuses that contain this word or phrase.")
        var word: String?

        @OptionGroup var access: AccessOptions
        @OptionGroup var output: FormatOptions

        func run() throws {
            let store = try access.model(MicroblogStore.self)
            let entries =
                try word.map { try store.search($0, limit) } ?? store.timeline(limit)
            try Listing.show(entries, output, ["id", "createdAt", "user", "source", "text"]) {
                entry in
                [
                    .integer(entry.status.id), entry.date, entry.name, .text(entry.source),
                    .text(entry.status.text),
                ]
            }
        }
    }
}

extension Show {
    /// `lockstep show microblog ID`
    struct Microblog: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show a status.")

        @Argument(help: "The status's id.")
        var id: Int64

        @OptionGroup var access: AccessOptions
        @OptionGroup var output: FormatOptions

        func run() throws {
            let store = try access.model(MicroblogStore.self)
            try Entry.show(
                Entry.found(store.status(id), "status", id), output,
                [
                    ("id", { .integer($0.status.id) }), ("createdAt", { $0.date }),
                    ("user", { $0.name }),
                    ("userID", { $0.status.userID.map(Value.integer) ?? .null }),
                    ("source", { .text($0.source) }), ("text", { .text($0.status.text) }),
                ])
        }
    }
}

extension Export {
    /// `lockstep export microblog FILE.jsonl`
    struct Microblog: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Write users and statuses to JSON lines that `lockstep import microblog` reads.")

        @Argument(help: "The file to make.")
        var target: String

        @OptionGroup var protection: ExportProtection
        @OptionGroup var access: AccessOptions
        @OptionGroup var output: FormatOptions

        func run() throws {
            let store = try access.model(MicroblogStore.self)
            try protection.export("users and statuses", to: target, output) { write in
                try store.exportJSONLines(write)
            }
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
