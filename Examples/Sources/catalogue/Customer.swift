import Lockstep
import SystemPackage

/// Who reads the catalogue: with an identity of their own, and the folder that the publisher made.
enum Customer {
    static let identity: FilePath = "customer.identity"

    /// Makes the identity, and prints its public half for the publisher.
    static func makeIdentity() throws {
        let made = try Identity.generate()
        try made.create(identity)
        print(made.recipient)
    }

    /// Prints the films with a title, in upper or lower case, or all of them. Nothing is written.
    static func find(_ title: String?, in folder: String) async throws {
        let store = try await Store.open(
            FilePath(folder).appending("catalogue.db"), key: .identity(identity),
            migrations: EmbeddedMigrations.catalogue, sealed: Dataset(Publisher.dataset),
            records: Film.self, mode: .readOnly)
        let films =
            if let title {
                // The blind index answers this without opening the other titles.
                try await store.all(Film.self, where: { $0.title.equalIgnoringCase(title) })
            } else {
                try await store.all(Film.self, orderBy: { [$0.year.ascending, $0.id.ascending] })
            }
        for film in films { print("\(film.year)  \(film.title)  (\(film.category))") }
        try await store.close()
    }
}
