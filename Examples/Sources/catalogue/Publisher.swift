import Foundation
import Lockstep
import SystemPackage

/// Who makes the catalogue: one encrypted file whose titles are sealed, for many customers.
enum Publisher {
    static let path: FilePath = "catalogue.db"
    static let dataset = "films"
    static let key = KeySource.keyFile("publisher.key")

    /// Adds the films of a tab-separated file: title, category, year; more fields are ignored.
    static func add(_ file: String) async throws {
        let lines = try String(contentsOfFile: file, encoding: .utf8)
        let films = try lines.split(whereSeparator: \.isNewline).map { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard fields.count >= 3, let year = Int(fields[2]) else {
                throw UsageError("\(file): no title, category and year in: \(line)")
            }
            return Film(title: String(fields[0]), category: String(fields[1]), year: year)
        }
        let store = try await open(.openOrCreate)
        try await store.insert(all: films)
        try await store.close()
        print("\(films.count) films added, their titles sealed")
    }

    private static func open(_ mode: OpeningMode) async throws -> Store {
        try await Store.open(
            path, key: key, migrations: EmbeddedMigrations.catalogue, sealed: Dataset(dataset),
            records: Film.self, mode: mode)
    }

    /// Makes a folder for a customer: the same file as for everyone, a keyring that opens it, and one that reads its
    /// titles. Only the customer's identity opens the keyrings.
    static func issue(to name: String, _ text: String) async throws {
        let recipient = try Recipient(text)
        // What a killed program left in the log goes into the file, which is then complete without it.
        try await open(.existing).close()
        let folder = FilePath(name)
        try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: false)
        let copy = folder.appending("catalogue.db")
        try FileManager.default.copyItem(atPath: path.string, toPath: copy.string)
        try FileManager.default.createDirectory(
            atPath: copy.string + ".keys", withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])

        // The database's keyring under a new ring key, without the publisher's slot.
        var database = try KeyringFile.database(beside: path).open { _ in
            try KeyFile.read("publisher.key")
        }
        try database.rotateRing()
        try database.addSlot(name, for: recipient)
        try KeyringFile.database(beside: copy).create(database)

        let fields = try KeyringFile.fields(of: dataset, beside: path).open { _ in
            try KeyFile.read("publisher.key")
        }
        try KeyringFile.fields(of: dataset, beside: copy).create(fields.issue(to: recipient), signedBy: fields)
        print("made the folder \(name)")
    }
}
