import ArgumentParser
import Lockstep
import LockstepModels
import SystemPackage

/// Notes.
enum NoteCommands: ModelCommands {
    static let entry = "note"
    static let entries = "notes"

    struct Source: ModelSource {
        static let abstract =
            "Import a text file, or the text files in a folder, each as a note."
        static let discussion = """
            Reads files in UTF-8, or in UTF-16 with a byte-order mark, whose names end in .txt, .text, .md \
            or .markdown. Other files are reported with their names; the rest is imported in one \
            transaction.
            """
        static let argument: ArgumentHelp = "The file or folder."
        static let unit = "files"

        @Option(
            help: "The encoding of files in neither UTF-8 nor UTF-16: latin1 or windows-1252.",
            transform: Self.encoding)
        var encoding: LegacyEncoding?

        func read(
            _ path: FilePath, into store: NoteStore, _ identity: ImportIdentity?
        ) throws -> ImportReport {
            try store.importTexts(path, legacy: encoding, opening: identity)
        }

        private static func encoding(_ text: String) throws -> LegacyEncoding {
            guard let encoding = LegacyEncoding(rawValue: text) else {
                let names = LegacyEncoding.allCases.map(\.rawValue)
                throw ValidationError("expected \(names.joined(separator: " or "))")
            }
            return encoding
        }
    }

    struct Selection: ModelSelection {
        static let abstract = "List notes, last changed first, or the notes that contain given words."

        @Option(help: "Only notes that contain all these words, best match first.")
        var search: String?

        @Flag(help: "Also match words that begin with the last word.")
        var begun = false

        @Option(help: "The maximum number of notes.")
        var limit: Int = 1000

        func validate() throws {
            guard limit >= 0 else { throw ValidationError("--limit must be 0 or more") }
            guard search != nil || !begun else {
                throw ValidationError("--begun needs --search")
            }
        }

        func show(_ store: NoteStore, _ output: FormatOptions) throws {
            guard let search else {
                return try Listing.show(store.list(limit: limit), output, ["id", "changedAt", "title"]) { note in
                    [.integer(note.id), NoteCommands.date(note.changedAt), .text(note.title)]
                }
            }
            let found = try store.search(search, isLastBegun: begun, limit: limit, marks: ("[", "]"))
            try Listing.show(found, output, ["id", "title", "excerpt"]) { match in
                [.integer(match.id), .text(match.note.title), .text(match.excerpt)]
            }
        }
    }

    struct Target: ModelTarget {
        static let abstract = "Write every note to a file in a new folder: 7.md for the note with the id 7."
        static let argument: ArgumentHelp = "The folder to make."

        func write(
            _ store: NoteStore, to path: FilePath, sealedFor recipients: [Recipient]
        ) throws -> Int {
            try store.exportTexts(to: path, sealedFor: recipients)
        }
    }

    static func fields(
        of id: Int64, in store: NoteStore
    ) throws -> KeyValuePairs<String, Value>? {
        try store.note(id).map { note in
            [
                "id": .integer(note.id), "title": .text(note.title), "createdAt": date(note.createdAt),
                "changedAt": date(note.changedAt), "text": .text(note.text),
            ]
        }
    }

    private static func date(_ microseconds: Int64?) -> Value {
        microseconds.map(Value.integer) ?? .null
    }
}
