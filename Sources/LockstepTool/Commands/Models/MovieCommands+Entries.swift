import ArgumentParser
import Lockstep
import LockstepModels

extension MovieCommands {
    static let fieldNames = ["title", "category", "year", "movieURL", "coverURL", "isWatched", "likes"]

    static func insert(_ fields: EntryFields, into store: MovieStore) throws -> Int64 {
        var film = Movie(
            title: try fields.require("title"), category: "", year: try fields.number(fields.require("year"), "year"))
        try set(&film, fields)
        return try store.insert(film)
    }

    static func update(
        _ id: Int64, _ fields: EntryFields, in store: MovieStore
    ) throws -> Bool {
        if Set(fields.values.keys) == ["isWatched", "likes"] {
            // A rating needs no keys of sealed columns.
            var rating = Movie(title: "", category: "", year: 0)
            try set(&rating, fields)
            return try store.rate(id, isWatched: rating.isWatched, likes: rating.likes)
        }
        return try store.change(id) { try set(&$0, fields) }
    }

    static func delete(_ id: Int64, from store: MovieStore) throws -> Bool {
        try store.delete(id)
    }

    private static func set(_ film: inout Movie, _ fields: EntryFields) throws {
        fields.set(&film.title, "title")
        fields.set(&film.category, "category")
        try fields.set(&film.year, "year")
        fields.set(&film.movieURL, "movieURL")
        fields.set(&film.coverURL, "coverURL")
        try fields.set(&film.isWatched, "isWatched")
        try fields.set(&film.likes, "likes")
    }
}
