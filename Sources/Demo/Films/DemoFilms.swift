import Foundation
import Lockstep
import LockstepPostgres
import SystemPackage

/// What a program does with films on a server. The demo runs it:
///
///     demo-films ADDRESS FIELDS-KEYRING KEY-FILE add     title, category and year, with tabs between them
///     demo-films ADDRESS FIELDS-KEYRING KEY-FILE find    a title, in upper or lower case
///
/// Films come from standard input, a line each, since the process list shows arguments.
@main
enum DemoFilms {
    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            print("error: \(error)")
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws {
        guard arguments.count == 4, ["add", "find"].contains(arguments[3]) else {
            throw Refusal("usage: demo-films ADDRESS FIELDS-KEYRING KEY-FILE add|find")
        }
        let films = try Films(at: arguments[0], keyring: FilePath(arguments[1]), keyFile: FilePath(arguments[2]))
        while let line = readLine() {
            if arguments[3] == "add" { try films.add(line) } else { try films.show(line) }
        }
    }
}

/// The films, through a connection that seals what it writes and opens what it reads.
struct Films: ~Copyable {
    private let server: ServerConnection

    /// - Throws: For a server that does not prove that the columns are sealed.
    init(at address: String, keyring: FilePath, keyFile: FilePath) throws {
        let keyring = try KeyringFile(keyring).open { _ in try KeyFile.read(keyFile) }
        var options = ServerOptions()
        options.fieldKeys = [try keyring.fieldKeys(named: "movies")]
        options.sealed = ["movies.title", "movies.category"]
        server = try ServerConnection(ServerAddress(address), .none, options)
    }

    func add(_ line: String) throws {
        let parts = line.split(separator: "\t").map(String.init)
        guard parts.count == 3, let year = Int64(parts[2]) else {
            throw Refusal("expected title, category and year, with tabs between them")
        }
        let key = try server.insert(
            "movies",
            [
                "title": .text(parts[0]), "category": .text(parts[1]),
                "year": .integer(year), "coverURL": .text(""),
            ])
        guard case .integer(let id)? = key.first else { return }
        print("added the film \(id)")
    }

    /// The server answers by an index over tokens, and does not learn the title.
    func show(_ title: String) throws {
        let found = try server.query(
            """
            SELECT "movieID", title, category, year FROM movies
            WHERE \(sealed: "movies.title", equals: .text(title), under: .casefold)
            """
        ) { row in
            (
                try row[0] as Int, title: try row[1] as String, try row[2] as String,
                try row[3] as Int
            )
        }
        for (id, title, category, year) in found {
            print("\(id)  \(title)  (\(category), \(year))")
        }
    }
}

struct Refusal: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
