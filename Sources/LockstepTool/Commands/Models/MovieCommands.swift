import ArgumentParser
import Lockstep
import LockstepModels
import SystemPackage

/// Films.
enum MovieCommands: ModelCommands {
    static let entry = "film"
    static let entries = "films"

    struct Source: ModelSource {
        static let abstract = "Import films from a tab-separated file."
        static let discussion = """
            Five fields per line: title, category, year, URL, cover URL; or two more, watched (0 or 1) and likes \
            (0 to 3), as `lockstep export movies` writes them. A line that is not a film is reported with its \
            number; the others are imported in one transaction.
            """
        static let argument = ArgumentHelp("The tab-separated file.", valueName: "file")

        func read(
            _ path: FilePath, into store: MovieStore, _ identity: ImportIdentity?
        ) throws -> ImportReport {
            try store.importTSV(path, opening: identity)
        }
    }

    struct Selection: ModelSelection {
        static let abstract = "List films, oldest first."

        @Option(help: "Only films of this category, the last inserted first.")
        var category: String?

        @Option(help: "Of a category, only films of later years than this.")
        var after: Int?

        func validate() throws {
            guard after == nil || category != nil else {
                throw ValidationError("--after needs --category")
            }
        }

        func show(_ store: MovieStore, _ output: FormatOptions) throws {
            let films = try category.map { try store.movies(inCategory: $0, after: after) } ?? store.allByYear()
            try Listing.show(films, output, ["id", "year", "title", "category"]) {
                film in
                [.integer(film.id), .integer(Int64(film.year)), .text(film.title), .text(film.category)]
            }
        }
    }

    struct Target: ModelTarget {
        static let abstract = "Write films to a tab-separated file that `lockstep import movies` reads."

        func write(
            _ store: MovieStore, to path: FilePath, sealedFor recipients: [Recipient]
        ) throws -> Int {
            try ExportSealing.write(to: path, for: recipients) { try store.exportTSV($0) }
        }
    }

    static func fields(
        of id: Int64, in store: MovieStore
    ) throws -> KeyValuePairs<String, Value>? {
        try store.movie(id).map { film in
            [
                "id": .integer(film.id), "title": .text(film.title), "category": .text(film.category),
                "year": .integer(Int64(film.year)), "movieURL": film.movieURL.map(Value.text) ?? .null,
                "coverURL": .text(film.coverURL),
                "isWatched": .integer(film.isWatched ? 1 : 0),
                "likes": .integer(Int64(film.likes)),
            ]
        }
    }
}
