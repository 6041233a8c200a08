import TestSupport
import Testing

@testable import Lockstep

/// A publisher who releases a dataset of films, and what others do to the file.
struct ReleaseWorkbench {
    let publisher: Rings.Box
    let films: SealedTableWorkbench
    let pinned: Publisher

    /// - Parameter subject: The dataset's identifier.
    init(rows: Int = 5, subject: [UInt8] = CellWorkbench.dataset) throws {
        publisher = Rings.Box(try Rings.make(.fields, subject: subject))
        films = try SealedTableWorkbench(rows: rows, keys: publisher.ring.fieldKeys())
        pinned = try publisher.ring.publisher()
        _ = try films.sealed()
    }

    /// Opens the file without any field key, as anyone who checks a release does.
    func open() throws -> Connection {
        try Connection.open(films.path, key: films.databaseKey())
    }

    @discardableResult
    func release(
        _ number: UInt64? = nil, _ version: Manifest.Version = .second, replacingForeign: Bool = false
    ) throws -> Manifest {
        try Manifest.make(
            publisher.ring, version, in: open(), number: number,
            replacingForeign: replacingForeign, today: Rings.day("2026-11-22"))
    }

    /// An attack by someone who can open the file, and who drops the triggers that are in the way.
    /// - Parameter restoring: Whether the triggers are made again afterwards, letter by letter.
    func sabotage(_ sql: String, restoring: Bool = false) throws {
        let connection = try open()
        try connection.with(rights: .engine) {
            let triggers = try connection.query(
                "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'", as: (String, String).self)
            for (name, _) in triggers { try connection.execute("DROP TRIGGER \(name: name)") }
            try connection.run(script: sql)
            guard restoring else { return }
            for (_, sql) in triggers { try connection.run(script: sql) }
        }
    }

    /// What a check with the publisher's key alone finds.
    func findings(
        dataset: [UInt8]? = nil, least: UInt64 = 1
    ) throws -> [ManifestReport.Finding] {
        try Manifest.check(open(), publisher: pinned, dataset: dataset, minimum: least).findings
    }

    /// The text in the database.
    func text() throws -> String {
        try #require(try open().texts("SELECT text FROM lockstep_manifest").first ?? nil)
    }

    func setText(_ text: String) throws {
        let connection = try open()
        try connection.with(rights: .engine) {
            try connection.execute("UPDATE lockstep_manifest SET text = ?", text)
        }
    }
}
