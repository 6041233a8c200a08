import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Files whose names Swift takes for equal, in one folder. A file system that folds such names has one file, and these
/// tests have nothing to do there.
@Suite("Pairs of names of files")
struct FileNamePairsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The pairs whose names are two files here.
    private static let pairs = NamePair.all

    /// Makes a file of each name, and says whether they are two.
    private func make(_ pair: NamePair, _ ending: String) throws -> Bool {
        for name in pair.both { try folder.write(name + ending, Array(name.utf8)) }
        return try Folder.list(folder.path).files.count == 2
    }

    @Test("A pattern finds both, and each by its own name", arguments: pairs)
    func patterns(_ pair: NamePair) throws {
        guard try make(pair, ".db") else { return }
        let found = try FilePattern("\(folder.path)/*.db").files()
        #expect(Set(found.map { ExactText($0.lastComponent?.stem ?? "") }) == Set(pair.both.map { ExactText($0) }))
        for name in pair.both {
            let own = try FilePattern("\(folder.path)/\(name).d?").files()
            #expect(own.map { ExactText($0.string) } == [ExactText(folder.file("\(name).db").string)])
        }
        #expect(try FleetMigration.files(matching: "\(folder.path)/*.db").count == 2)
    }

    @Test("A side file belongs to the database of its own name", arguments: pairs)
    func sideFiles(_ pair: NamePair) throws {
        try folder.write(pair.one, [])
        try folder.write(pair.other + "-wal", [])
        guard try Folder.list(folder.path).files.count == 2, !FileAccess.exists(folder.file(pair.other)) else { return }
        #expect(try FleetMigration.files(matching: "\(folder.path)/*").count == 2)
        #expect(!AtomicFile.isLeftover(".\(pair.one).1z.new", of: pair.other))
        #expect(AtomicFile.isLeftover(".\(pair.one).1z.new", of: pair.one))
    }

    @Test("The backups of one database are not another's", arguments: pairs)
    func backups(_ pair: NamePair) throws {
        let one = try MigrationBackups(of: folder.file(pair.one), in: nil, keys: [])
        let name = "\(pair.one).20240131T120000Z-1\(MigrationBackups.ending)"
        let other = try MigrationBackups(of: folder.file(pair.other), in: nil, keys: [])
        #expect(other.parse(name) == nil)
        #expect(one.parse("\(pair.one).\(Timestamp.now.fileName)-1\(MigrationBackups.ending)")?.number == 1)
    }

    @Test(
        "Files of a set with such names: two repeatables run, each on its own change",
        arguments: pairs)
    func repeatables(_ pair: NamePair) throws {
        func set(_ value: Int) throws -> MigrationSet {
            try MigrationSet(
                name: "test", layout: .flyway,
                files: [
                    ("V1__a.sql", "CREATE TABLE ran (name TEXT, value INTEGER);"),
                    ("R__\(pair.one).sql", "INSERT INTO ran VALUES ('one', 0);"),
                    ("R__\(pair.other).sql", "INSERT INTO ran VALUES ('other', \(value));"),
                ])
        }
        let connection = try Connection.inMemory()
        _ = try Migrator(set(1)).run(on: connection)
        _ = try Migrator(set(1)).run(on: connection)
        _ = try Migrator(set(2)).run(on: connection)
        let ran = try connection.query("SELECT name || value FROM ran ORDER BY rowid") { row in
            try row[0] as String
        }
        #expect(ran.sorted() == ["one0", "other1", "other2"])
    }
}
