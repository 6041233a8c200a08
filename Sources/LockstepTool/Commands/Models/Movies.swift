import ArgumentParser
import Lockstep
import LockstepModels
import SystemPackage

extension Import {
    /// `lockstep import movies FILE.tsv`
    struct Movies: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Import films from a tab-separated file.",
            discussion: """
                Five fields per line: title, category, year, URL, cover URL. A line that is not a film is \
                reported with its number; the others are imported in one transaction.
                """)

        @Argument(help: "The tab-separated file.")
        var file: String

        @OptionGroup var options: ImportOptions

        func run() throws {
            try options.run(MovieStore.self, file, "films") { store, identity in
                try store.importTSV(FilePath(file), opening: identity)
            }
        }
    }
}

extension List {
    /// `lockstep list movies`
    struct Movies: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List films, oldest first.")

        @OptionGroup var access: AccessOptions
        @OptionGroup var output: FormatOptions

        func run() throws {
            let store = try access.model(MovieStore.self)
            try Listing.show(store.allByYear(), output, ["id", "year", "title", "category"]) {
                film in
                [
                    .integer(film.id), .integer(Int64(film.year)), .text(film.title),
                    .text(film.category),
                ]
            }
        }
    }
}

extension Show {
    /// `lockstep show movies ID`
    struct Movies: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show a film.")

        @Argument(help: "The film's id.")
        var id: Int64

        @OptionGroup var access: AccessOptions
        @OptionGroup var output: FormatOptions

        func run() throws {
            let store = try access.model(MovieStore.self)
            try Entry.show(
                Entry.found(store.movie(id), "film", id), output,
                [
                    ("id", { .integer($0.id) }), ("title", { .text($0.title) }),
                    ("category", { .text($0.category) }),
                    ("year", { .integer(Int64($0.year)) }),
                    ("movieURL", { $0.movieURL.map(Value.text) ?? .null }),
                    ("coverURL", { .text($0.coverURL) }),
                    ("isWatched", { .integer($0.isWatched ? 1 : 0) }),
                    ("likes", { .integer(Int64($0.likes)) }),
                ])
        }
    }
}

extension Export {
    /// `lockstep export movies FILE.tsv`
    struct Movies: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write films to a tab-separated file that `lockstep import movies` reads.")

        @Argument(help: "The file to make.")
        var target: String

        @OptionGroup var protection: ExportProtection
        @OptionGroup var access: AccessOptions
        @OptionGroup var output: FormatOptions

        func run() throws {
            let store = try access.model(MovieStore.self)
            try protection.export("films", to: target, output) { write in
                try store.exportTSV(write)
            }
        }
    }
}
