import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Flyway's repeatables, baselines and placeholders")
struct FlywayLayoutTests {
    private func set(_ files: [String: String]) throws -> MigrationSet {
        try LayoutFolder(files).set(.flyway)
    }

    @Test("Repeatables have no version, and are listed separately in the order of their descriptions")
    func repeatables() throws {
        let set = try set(["V1__a.sql": "", "R__b_view.sql": "SELECT 2;", "x/R__a_view.sql": "SELECT 1;"])
        #expect(set.files.map(\.name) == ["a"])
        #expect(set.repeatables.map(\.name) == ["a_view", "b_view"])
        for file in set.repeatables {
            #expect(file.isRepeatable && !file.isBaseline && !file.isReversible)
            #expect(file.version == .unversioned)
            #expect(file.version.description.isEmpty)
        }
        #expect(set.files.allSatisfy { !$0.isRepeatable })
    }

    private let files = [
        "V1__a.sql": "CREATE TABLE a (x);", "V2__b.sql": "CREATE TABLE b (x);", "V3__c.sql": "CREATE TABLE c (x);",
    ]
    private var withBaseline: [String: String] {
        files.merging(["B2__ab.sql": "CREATE TABLE a (x);\nCREATE TABLE b (x);"]) { $1 }
    }

    @Test(
        "A fresh database begins with the newest baseline; the versions that it replaces are not pending"
    )
    func fresh() throws {
        let set = try set(withBaseline.merging(["B1__old.sql": "nonsense"]) { $1 })
        let connection = try Connection.inMemory()
        let steps = try Migrator(set).run(on: connection).steps
        #expect(steps.map(\.name) == ["ab", "c"])
        #expect(try Migrator(set).run(on: connection).steps.isEmpty)
        let ledger = try Ledger.entries(connection)
        #expect(set.applicable(to: ledger).files.map(\.name) == ["ab", "c"])
        // Without the files that it replaces, the result is the same.
        let bare = withBaseline.filter { $0.key != "V1__a.sql" && $0.key != "V2__b.sql" }
        #expect(try Migrator(self.set(bare)).run(on: connection).steps.isEmpty)
    }

    @Test("A database migrated by the versions continues with the versions")
    func grown() throws {
        let connection = try Connection.inMemory()
        _ = try Migrator(try set(files)).run(.version(MigrationVersion(2)), on: connection)
        let steps = try Migrator(try set(withBaseline)).run(on: connection).steps
        #expect(steps.map(\.name) == ["c"])
    }

    @Test("The versions reach a target before the baseline")
    func earlier() throws {
        let connection = try Connection.inMemory()
        let steps = try Migrator(try set(withBaseline))
            .run(.version(MigrationVersion(1)), on: connection).steps
        #expect(steps.map(\.name) == ["a"])
        #expect(try Migrator(try set(withBaseline)).run(on: connection).steps.map(\.name) == ["b", "c"])
    }

    @Test("A changed baseline differs from the applied one")
    func changed() throws {
        let connection = try Connection.inMemory()
        _ = try Migrator(try set(withBaseline)).run(on: connection)
        let other = withBaseline.merging(["B2__ab.sql": "CREATE TABLE a (y);"]) { $1 }
        Refusal.expect(.migrationChanged) {
            _ = try Migrator(try set(other)).run(on: connection)
        }
    }

    @Test("A placeholder in a comment is ignored, and an escaped one is kept")
    func placeholders() throws {
        #expect(try set(["V1__a.sql": "-- ${x}\n/* ${y} */ SELECT '$', '{';"]).files.count == 1)
        let set = try set([
            "V1__a.sql": "CREATE TABLE a (x); INSERT INTO a VALUES ('${x}');",
            "V1__a.sql.conf": "placeholderReplacement=false\nencoding=UTF-8\nshouldExecute=true\n",
        ])
        let connection = try Connection.inMemory()
        _ = try Migrator(set).run(on: connection)
        #expect(try Scratch.int(connection, "SELECT count(*) FROM a WHERE x = '${x}'") == 1)
    }
}
