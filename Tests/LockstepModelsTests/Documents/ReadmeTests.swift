import Lockstep
import SystemPackage
import TestSupport
import Testing

/// The program at the top of the README needs only public API. `.ci/programs` builds it as its reader does.
@Suite("The README")
struct ReadmeTests {
    @Test("The program makes its database, and finds it again")
    func program() async throws {
        let folder = try TemporaryFolder()
        for run in 1...2 { #expect(try await films(folder) == run) }
    }

    private func films(_ folder: TemporaryFolder) async throws -> Int {
        // sample: README.md
        struct Film: Record {
            var id: Int64?
            var title: String
            var year: Int
        }
        let store = try await Store.open(
            folder.file("films.db"), key: .keyFile(folder.file("my.key")),
            migrations: EmbeddedMigrations.films, records: Film.self)
        try await store.insert(Film(title: "Metropolis", year: 1927))
        let old = try await store.all(Film.self, where: { $0.year < 1970 }, orderBy: { [$0.id.ascending] })
        for film in old { print(film.id ?? 0, film.title, film.year) }
        // end
        return old.count
    }
}
