import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Files of programs that define functions and collations of their own, as those of GIS programs (GeoPackage) and of
/// libraries do, opened without them.
@Suite("Databases with functions and collations of their own program")
struct OwnFunctionsTests {
    /// A table with an R-tree that triggers keep, which call functions.
    private static let features = """
        CREATE TABLE feature (id INTEGER PRIMARY KEY, geom BLOB, name TEXT);
        INSERT INTO feature VALUES (1, x'4750', 'a'), (2, x'4751', 'b');
        CREATE VIRTUAL TABLE rtree_feature USING rtree (id, minx, maxx);
        INSERT INTO rtree_feature VALUES (1, 0, 1), (2, 3, 4);
        """
    private static let insertion = """
        CREATE TRIGGER feature_insert AFTER INSERT ON feature WHEN new.geom NOT NULL AND NOT ST_IsEmpty(new.geom)
        BEGIN INSERT OR REPLACE INTO rtree_feature VALUES (new.id, ST_MinX(new.geom), ST_MaxX(new.geom)); END;
        """
    private static let update = """
        CREATE TRIGGER feature_update AFTER UPDATE OF geom ON feature WHEN ST_IsEmpty(new.geom)
        BEGIN DELETE FROM rtree_feature WHERE id = old.id; END;
        """
    private static let deletion = """
        CREATE TRIGGER feature_delete AFTER DELETE ON feature WHEN NOT ST_IsEmpty(old.geom)
        BEGIN DELETE FROM rtree_feature WHERE id = old.id; END;
        """
    private static let view = "CREATE VIEW boxes AS SELECT id, ST_MinX(geom) AS minx FROM feature;"

    private static let schemas = [
        insertion, update, deletion, view, insertion + update, insertion + deletion, insertion + view, update + view,
        deletion + view, insertion + update + deletion, insertion + update + deletion + view,
    ]

    @Test("They are adopted, baselined, migrated, verified and backed up", arguments: schemas, [512, 16_384])
    func geopackage(_ schema: String, _ pageSize: Int) throws {
        let scratch = try CopyScratch()
        try scratch.makePlaintext("PRAGMA page_size = \(pageSize)", Self.features + schema)
        try scratch.adoptWhole([
            "SELECT id || quote(geom) || name FROM feature", "SELECT id || minx FROM rtree_feature",
        ])
        let connection = try scratch.new.open()
        let folder = try TemporaryFolder()
        let (set, file) = try Baseline.writeFirstVersion(into: folder.file("gis"), from: connection)
        #expect(set.migrations.count == 1)
        var files = [(name: "0001_baseline.sql", content: try String(decoding: Bytes.read(file), as: UTF8.self))]
        files.append(("0002_year.sql", Scratch.up("ALTER TABLE feature ADD COLUMN year INTEGER;")))
        let grown = try MigrationSet(name: set.name, files: files)
        let report = try Migrator(grown).run(on: connection)
        #expect(report.steps.count == 1)
        let verified = try Verification(scratch.new.path, sets: [grown]).run(key: scratch.new.key())
        #expect(verified.isClean, "\(verified.messages)")
        let objects = try #require(verified.outcomes.first { $0.check == .objects })
        #expect(objects.findings.contains { $0.message.contains("ST_") && !$0.isFailure })
        #expect(try connection.value("SELECT count(*) FROM feature", as: Int.self) == 2)
        let copy = try PageCopy.run(
            connection, to: folder.file("backup.db"), as: .copy, scratch.new.key(), schema: .init()
        ) { _ in }
        #expect(copy.rows["feature"] == 2)
    }

    @Test("A collation that only the program has stands in the schema as any other")
    func collation() throws {
        let scratch = try DatabaseScratch()
        var options = ConnectionOptions()
        options.collations = [Collation("PINYIN") { one, other in one == other ? 0 : one < other ? -1 : 1 }]
        let connection = try scratch.create(options)
        try connection.run(
            script: """
                CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT COLLATE PINYIN);
                CREATE INDEX book_title ON book (title);
                """)
        let folder = try TemporaryFolder()
        let (set, _) = try Baseline.writeFirstVersion(into: folder.file("books"), from: connection)
        #expect(try DriftCheck.differences(of: SchemaSnapshot(connection), on: connection, [set], .init()) == [])
    }

    @Test("A function that is misspelt in a new version is still an error")
    func misspelt() throws {
        let connection = try Connection.inMemory()
        let set = try Scratch.set(Scratch.up("CREATE TABLE t (a); CREATE VIEW v AS SELECT uper(a) FROM t;"))
        #expect(throws: LockstepError.self) { _ = try Migrator(set).run(on: connection) }
    }
}
