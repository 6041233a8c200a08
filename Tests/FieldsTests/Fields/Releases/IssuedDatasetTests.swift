import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// One sealed file, and keyrings for several customers.
struct IssuedDatasetTests {
    @Test("each customer reads the same file, and issuing has not touched a byte of it") func sameFile() throws {
        let publisher = try Rings.make(.fields)
        let bench = try SealedTableWorkbench(keys: publisher.fieldKeys())
        _ = try bench.sealed()
        let before = try Self.files(bench)
        for _ in 0..<2 {
            let person = try Identity.generate()
            let file = KeyringFile(bench.folder.file("\(person.recipient).fields.keyring"))
            try file.create(publisher.issue(to: person.recipient), signedBy: publisher)
            #expect(try Self.files(bench) == before)
            let ring = try file.open { _ in try .identity(person) }
            try ring.requireSignature(by: publisher.publisher())
            let connection = try bench.open([ring.fieldKeys()])
            #expect(try connection.texts("SELECT title FROM film_open ORDER BY id") == SealedTableWorkbench.films)
        }
        #expect(try Bytes.read(bench.path) == before[0])
    }

    @Test("a keyring issued before a key was made does not open what is under that key") func outdated() throws {
        var publisher = try Rings.make(.fields)
        let person = try Identity.generate()
        let early = try publisher.issue(to: person.recipient).fieldKeys()
        try publisher.addKey(.field, state: .pending)
        try publisher.setState(.field, version: 2, to: .active)
        let bench = try SealedTableWorkbench(keys: publisher.fieldKeys())
        _ = try bench.sealed()
        Refusal.expect(.keyUnavailable) {
            _ = try bench.open([early]).texts("SELECT title FROM film_open")
        }
        let late = try publisher.issue(to: person.recipient).fieldKeys()
        #expect(try bench.open([late]).texts("SELECT title FROM film_open").count == 5)
    }

    /// The database and the files beside it.
    private static func files(_ bench: SealedTableWorkbench) throws -> [[UInt8]] {
        try ["", "-wal"].map { suffix in
            let path = FilePath(bench.path.string + suffix)
            return FileAccess.exists(path) ? try Bytes.read(path) : []
        }
    }
}
