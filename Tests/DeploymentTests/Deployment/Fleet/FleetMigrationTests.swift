import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Fleets")
struct FleetMigrationTests {
    private let folder: TemporaryFolder
    private let files: [FilePath]

    /// Seven databases at version 1, each with one row more than the one before.
    init() throws {
        folder = try TemporaryFolder()
        let original = try DeploymentScratch(rows: 0)
        files = (0..<7).map { [folder] in folder.file("\($0).db") }
        for (number, file) in files.enumerated() {
            try Bytes.write(original.database.bytes, to: file)
            try original.add(number, to: Connection.open(file, key: Self.key()))
        }
    }

    private static func key(_ number: UInt8 = 1) throws -> DatabaseKey {
        try DatabaseScratch().key(number)
    }

    private func fleet(_ set: MigrationSet? = nil, jobs: Int = 3) throws -> FleetMigration {
        var fleet = FleetMigration(of: files, sets: [try set ?? DeploymentScratch.good()])
        fleet.jobs = jobs
        fleet.timeout = .zero
        fleet.options.busyTimeout = .zero
        return fleet
    }

    private func run(
        _ fleet: FleetMigration, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> (FleetReport, [String: FleetResult]) {
        var results: [String: FleetResult] = [:]
        let report = try fleet.run(access: { _ in try DatabaseAccess(rawKey: Self.key()) }) {
            result in
            let name = result.file.lastComponent?.string ?? ""
            #expect(results[name] == nil, sourceLocation: sourceLocation)
            results[name] = result
        }
        #expect(results.count == fleet.files.count, sourceLocation: sourceLocation)
        return (report, results)
    }

    private func applied(_ file: FilePath) throws -> Int {
        try Ledger.entries(Connection.open(file, key: Self.key())).count
    }

    @Test("A result arrives while its thread works on the next file")
    func news() {
        let queue = FleetQueue(count: 2)
        let seen = DispatchSemaphore(value: 0)
        queue.began()
        Thread {
            queue.work { number in
                let isSeen = number == 0 || seen.wait(timeout: .now() + 60) == .success
                return FleetResult(file: FilePath(isSeen ? "\(number).db" : "not seen"))
            }
        }.start()
        var files: [FilePath] = []
        while let news = queue.next() {
            guard case .finished(let result) = news else { continue }
            files.append(result.file)
            seen.signal()
        }
        #expect(files == ["0.db", "1.db"])
    }

    @Test(
        "Every file is migrated, and reported once; the second run has nothing to do",
        arguments: [1, 3, 100])
    func success(jobs: Int) throws {
        let (report, results) = try run(fleet(jobs: jobs))
        #expect(report.migrated == 7 && report.isSuccess && report.unchanged == 0)
        for file in files {
            #expect(try applied(file) == 3)
            let result = try #require(results[file.lastComponent?.string ?? ""])
            #expect(result.isSuccess && !result.wasSkipped && result.safe == nil)
            #expect(result.from == ["test": MigrationVersion(1)])
            #expect(result.to == ["test": MigrationVersion(3)])
            #expect(result.steps.map(\.version.description) == ["2", "3"])
        }
        let (again, second) = try run(fleet(jobs: jobs))
        #expect(again.unchanged == 7 && again.migrated == 0 && again.isSuccess)
        #expect(second.values.allSatisfy { $0.from == $0.to && $0.steps.isEmpty })
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path.string)
        #expect(names.sorted() == files.map { $0.lastComponent?.string })
    }

    @Test("No files is not a failure; no jobs is one")
    func borders() throws {
        var none = FleetMigration(of: [], sets: [try DeploymentScratch.good()])
        #expect(try run(none).0.isSuccess)
        none.jobs = 0
        Refusal.expect(.misuse) { _ = try run(none) }
        Refusal.expect(.misuse) { _ = try run(fleet(jobs: -1)) }
    }

    @Test("Sets and options are those of a single migration")
    func wishes() throws {
        var fleet = try fleet()
        fleet.target = .version(MigrationVersion(2))
        #expect(try run(fleet).0.migrated == 7)
        #expect(try applied(files[3]) == 2)
        fleet.target = .back(1)
        let (_, results) = try run(fleet)
        #expect(results["3.db"]?.to == ["test": MigrationVersion(1)])
        #expect(try applied(files[3]) == 1)
    }

    // MARK: Failures

    @Test("A failing file does not affect the others, and the next run does only the rest") func failure() throws {
        // Fails for more than three rows.
        let careful = Scratch.up("CREATE TABLE few (n CHECK (n < 4)); INSERT INTO few SELECT count(*) FROM item;")
        let set = try Scratch.set(DeploymentScratch.first, DeploymentScratch.second, careful)
        let (report, results) = try run(fleet(set))
        #expect(report.migrated == 4 && report.failed == 3 && !report.isSuccess)
        for (number, file) in files.enumerated() {
            let result = try #require(results["\(number).db"])
            #expect(result.isSuccess == (number < 4))
            #expect(try applied(file) == (number < 4 ? 3 : 2))
            #expect(result.to == ["test": MigrationVersion(number < 4 ? 3 : 2)])
            #expect(result.error?.code == (number < 4 ? nil : .migrationFailed))
        }
        try Connection.open(files[5], key: Self.key()).execute("DELETE FROM item")
        let (again, _) = try run(fleet(set))
        #expect(again.migrated == 1 && again.unchanged == 4 && again.failed == 2)
    }

    @Test("Foreign files, and files that cannot be opened, have an error each")
    func strangers() throws {
        try Bytes.write(Array("no database".utf8), to: files[0])
        try Bytes.write(PlaintextDatabase.bytes, to: files[1])
        try Bytes.write([], to: files[2])
        let manager = FileManager.default
        try manager.removeItem(atPath: files[3].string)
        try manager.createSymbolicLink(atPath: files[3].string, withDestinationPath: "4.db")
        do {
            let other = try Connection.open(files[4], key: Self.key())
            try other.setHeaderField("application_id", 77)
        }
        try manager.removeItem(atPath: files[6].string)
        do { _ = try Connection.create(files[6], key: Self.key(2)).path }
        let locked = try Connection.open(files[5], key: Self.key())
        try locked.write { _ in
            let (report, results) = try run(fleet())
            #expect(report.failed == 7)
            let codes = (0..<7).map { results["\($0).db"]?.error?.code }
            #expect(
                codes == [
                    .truncated, .plaintextDatabase, .emptyDatabase, .notAFile, .foreignApplication, .busy, .wrongKey,
                ])
        }
        #expect(try Bytes.read(files[0]) == Array("no database".utf8))
        #expect(try Bytes.read(files[1]) == PlaintextDatabase.bytes)
        #expect(try run(fleet()).0.migrated == 1)
    }

    @Test("An error from a keyring or a program is the error of its file")
    func access() throws {
        var results: [FleetResult] = []
        let report = try fleet().run(access: { file in
            switch file.lastComponent?.string {
            case "1.db": throw LockstepError(.slotNotOpened, "no")
            case "2.db": throw Stop()
            default: return try DatabaseAccess(rawKey: Self.key())
            }
        }) { results.append($0) }
        #expect(report.migrated == 5 && report.failed == 2)
        let failed = results.filter { !$0.isSuccess }
        #expect(Set(failed.compactMap { $0.error?.code }) == [.slotNotOpened, .misuse])
    }

    // MARK: Stopping

    @Test("After a stop, files under way return to their last version, and the rest is not begun")
    func stopping() throws {
        let endless = Scratch.up(
            "CREATE TABLE n (x);\nWITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
                + "INSERT INTO n SELECT x FROM c;")
        var fleet = try fleet(Scratch.set(DeploymentScratch.first, DeploymentScratch.second, endless))
        // The connections below can be in the way for a moment.
        (fleet.timeout, fleet.options.busyTimeout) = (.seconds(60), .seconds(60))
        var report = FleetReport()
        var results: [FleetResult] = []
        #expect(throws: Stop.self) {
            try fleet.run(
                access: { _ in try DatabaseAccess(rawKey: Self.key()) }, into: &report
            ) { result in
                results.append(result)
            } progress: { progress in
                #expect(progress.total == 7 && progress.unit == .files)
                if try files[..<3].allSatisfy({ try applied($0) == 2 }) { throw Stop() }
            }
        }
        #expect(report.failed == 3 && report.skipped == 4 && !report.isSuccess)
        #expect(results.count == 7)
        for result in results {
            #expect(result.error?.code == .interrupted)
            #expect(try applied(result.file) == (result.wasSkipped ? 1 : 2))
        }
        #expect(try run(self.fleet()).0.migrated == 7)
    }

    @Test("An error thrown by the result handler stops the fleet, and is rethrown")
    func telling() throws {
        var reported = 0
        #expect(throws: Stop.self) {
            _ = try fleet(jobs: 1).run(access: { _ in try DatabaseAccess(rawKey: Self.key()) }) {
                _ in
                reported += 1
                throw Stop()
            }
        }
        #expect(reported == 1)
        // The first, and those begun before it was reported.
        #expect(try files.count { try applied($0) == 3 } >= 1)
        #expect(try run(fleet()).0.isSuccess)
    }

    @Test("As many files as there are jobs are migrated at a time")
    func parallel() throws {
        // Each waits for the other; the minute ends a fleet that is not parallel.
        let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isMet = Mutex(true)
        var fleet = FleetMigration(of: Array(files[..<2]), sets: [try DeploymentScratch.good()])
        fleet.jobs = 2
        let report = try fleet.run(access: { file in
            let isFirst = file.lastComponent?.string == "0.db"
            (isFirst ? first : second).signal()
            let met = (isFirst ? second : first).wait(timeout: .now() + 60) == .success
            isMet.withLock { $0 = $0 && met }
            return try DatabaseAccess(rawKey: Self.key())
        })
        #expect(report.migrated == 2)
        #expect(isMet.withLock { $0 })
    }

    // MARK: Safely

    @Test("In safe mode a failing file is restored, and the others have a backup each") func safely() throws {
        let careful = Scratch.up("CREATE TABLE few (n CHECK (n < 4)); INSERT INTO few SELECT count(*) FROM item;")
        var fleet = try fleet(
            Scratch.set(
                DeploymentScratch.first, DeploymentScratch.second, DeploymentScratch.third,
                careful))
        fleet.safely = FleetMigration.Safety()
        let (report, results) = try run(fleet)
        // A fresh build has no rows, so it passes the CHECK, whatever rows the databases have.
        #expect(report.migrated == 4 && report.failed == 3)
        for (number, file) in files.enumerated() {
            let result = try #require(results["\(number).db"])
            #expect(result.safe?.outcome == (number < 4 ? .migrated : .restored))
            #expect((result.safe?.backup == nil) == (number >= 4))
            #expect(try applied(file) == (number < 4 ? 4 : 1))
            #expect(result.to == ["test": MigrationVersion(number < 4 ? 4 : 1)])
        }
        let (again, second) = try run(fleet)
        #expect(again.unchanged == 4 && again.failed == 3)
        #expect(second["0.db"]?.safe?.outcome == .nothingToDo)
    }

    // MARK: Patterns

    @Test("A pattern matches databases, and not the files beside them")
    func patterns() throws {
        var fleet = FleetMigration(of: [files[0]], sets: [try DeploymentScratch.good()])
        fleet.safely = FleetMigration.Safety()
        _ = try run(fleet)
        for name in [
            "1.db-wal", "1.db-shm", "2.db-journal", "2.db.rotating", "3.db.safe-migration",
        ] {
            try folder.write(name, "beside")
        }
        #expect(try FleetMigration.files(matching: "\(folder.path)/*") == files)
        #expect(try FleetMigration.files(matching: "\(folder.path)/?.db") == files)
        // Given alone it can be a database's name.
        try folder.write("alone-wal", "x")
        #expect(try FleetMigration.files(matching: "\(folder.path)/a*") == [folder.file("alone-wal")])
        Refusal.expect(.notFound) { _ = try FleetMigration.files(matching: "\(folder.path)/*.x") }
    }
}
