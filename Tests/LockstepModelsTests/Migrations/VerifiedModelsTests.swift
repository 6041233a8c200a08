import Lockstep
import LockstepModels
import SystemPackage
import TestSupport
import Testing

@Suite("The models' schemas, verified")
struct VerifiedModelsTests {
    @Test(
        "All five in one file verify, including down and up again, and lose only what they declare")
    func deep() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("all.db")
        var keyring = try Keyring.create(.database)
        try KeyFile.create(folder.file("k"))
        try keyring.addSlot("k", KeyFile.read(folder.file("k")))
        let sets = try ModelMigrations.all()
        let versions = sets.map(\.files.count).reduce(0, +)
        let options = try ModelKeys.options()
        do {
            let connection = try Connection.create(path, key: keyring.activeDatabaseKey(), options: options)
            for set in sets { _ = try Migrator(set).run(on: connection) }
            try connection.execute(
                "INSERT INTO movies_open (title, category, year, coverURL) VALUES ('a', 'b', 1999, '')")
        }
        var verification = Verification(path, sets: sets)
        verification.isDeep = true
        verification.fieldKeys = options.fieldKeys
        let report = try verification.run(keyring: keyring)
        let findings = report.outcomes.flatMap(\.findings)
        #expect(report.isClean, "\(findings)")
        #expect(report.outcomes.last?.summary == "\(versions) versions of \(versions) down and up again, on a copy")
        #expect(
            report.outcomes.last?.findings.map(\.message) == [
                "movies has 0 rows after migrating down and up again, but had 1 before"
            ])
    }
}
