import ArgumentParser
import Lockstep
import LockstepModels
import SystemPackage

extension Import {
    /// `lockstep import notes FOLDER`
    struct Notes: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Import a text file, or the text files in a folder, each as a note.",
            discussion: """
                Reads files in UTF-8, or in UTF-16 with a byte-order mark, whose names end in .txt, .text, .md \
                or .markdown. Other files are reported with their names; the rest is imported in one \
                transaction.
                """)

        @Argument(help: "The file or folder.")
        var source: String

        @Option(
            help: "The encoding of files in neither UTF-8 nor UTF-16: latin1 or windows-1252.",
            transform: Self.encoding)
        var encoding: LegacyEncoding?

        @OptionGroup var options: ImportOptions

        func run() throws {
            try options.run(NoteStore.self, source, "notes", unit: "files") { store, identity in
                try store.importTexts(
                    FilePath(source), legacy: encoding, opening: identity)
            }
        }

        private static func encoding(_ text: String) throws -> LegacyEncoding {
            guard let encoding = LegacyEncoding(rawValue: text) else {
                let names = LegacyEncoding.allCases.map(\.rawValue)
                throw ValidationError("expected \(names.joined(separator: " or "))")
            }
            return encoding
        }
    }
}

extension List {
    /// `lockstep list notes`
    struct Notes: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List notes, last changed first, or the notes that contain given words.")

        @Option(help: "Only notes that contain all these words, best match first.")
        var search: String?

        @Flag(help: "Also match words that begin with the last word.")
        var begun = false

        @Option(help: "The maximum number of notes.")
        var limit: Int = 1000

        @OptionGroup var access: AccessOptions
        @OptionGroup var output: FormatOptions

        func validate() throws {
            guard limit >= 0 else { throw ValidationError("--limit must be 0 or more") }
            guard search != nil || !begun else {
                throw ValidationError("--begun needs --search")
            }
        }

        func run() throws {
            let store = try access.model(NoteStore.self)
            guard let search else {
                return try Listing.show(
                    store.list(limit: limit), output, ["id", "changedAt", "title"]
                ) { note in
                    [.integer(note.id), Self.date(note.changedAt), .text(note.title)]
                }
            }
            let found = try store.search(
                search, isLastBegun: begun, limit: limit, marks: ("[", "]"))
            try Listing.show(found, output, ["id", "title", "excerpt"]) { match in
                [.integer(match.id), .text(match.note.title), .text(match.excerpt)]
            }
        }

        static func date(_ microseconds: Int64?) -> Value {
            microseconds.map(Value.integer) ?? .null
        }
    }
}

extension Show {
    /// `lockstep show notes ID`
    struct Notes: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show a note.")

        @Argument(help: "The note's id.")
        var id: Int64

        @OptionGroup var access: AccessOptions
        @OptionGroup var output: FormatOptions

        func run() throws {
            let store = try access.model(NoteStore.self)
            try Entry.show(
                Entry.found(store.note(id), "note", id), output,
                [
                    ("id", { .integer($0.id) }), ("title", { .text($0.title) }),
                    ("createdAt", { List.Notes.date($0.createdAt) }),
                    ("changedAt", { List.Notes.date($0.changedAt) }),
                    ("text", { .text($0.text) }),
                ])
        }
    }
}

extension Export {
    /// `lockstep export notes FOLDER`
    struct Notes: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Write every note to a file in a new folder: 7.md for the note with the id 7.")

        @Argument(help: "The folder to make.")
        var target: String

        @OptionGroup var protection: ExportProtection
        @OptionGroup var access: AccessOptions
        @OptionGroup var output: FormatOptions

        func run() throws {
            let store = try access.model(NoteStore.self)
            let count = try store.exportTexts(
                to: FilePath(target), sealedFor: protection.keys())
            try protection.show(count, "notes", target, output)
        }
    }
}
