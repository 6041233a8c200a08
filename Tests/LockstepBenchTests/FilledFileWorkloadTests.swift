import Lockstep
import SystemPackage
import TestSupport
import Testing

@testable import LockstepBench

@Suite("Workloads over a filled file: update, rotate and verify")
struct FilledFileWorkloadTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func request(
        _ workload: WorkloadName, rows: Int = 40, operations: Int? = nil
    ) throws -> RunRequest {
        RunRequest(
            workload: workload, variant: try workload.type.variant(nil), path: folder.file("bench.db"), rows: rows,
            operations: operations ?? rows, cacheBytes: 1_048_576, synchronous: .normal, key: RunRequest.ordinaryKey)
    }

    private func fill(rows: Int = 40) throws {
        _ = try request(.fill, rows: rows).run()
    }

    @Test("An update changes the rows of the keys, and no others", arguments: [1, 7, 200])
    func update(_ operations: Int) throws {
        try fill()
        let request = try request(.update, operations: operations)
        let measured = try request.run()
        #expect(measured.operations == operations)
        #expect(measured.settings == request.settings)
        #expect(try measured.hash.hex == WorkloadName.update.expected(40, operations))
        #expect(try measured.hash.hex != WorkloadName.scan.expected(40, 40))
    }

    /// The answers are those of the peer in C.
    @Test(
        "Peers compute these checksums of updates",
        arguments: [(1, 1, "a966fddcd406f394"), (1000, 500, "9f47a317feaf9846")])
    func checksums(_ rows: Int, _ operations: Int, _ answer: String) throws {
        #expect(try WorkloadName.update.expected(rows, operations) == answer)
    }

    @Test("A rotation leaves every row under a new key, and the run answers as peers must") func rotate() throws {
        try fill()
        let request = try request(.rotate)
        let before = try Bytes.read(request.path)
        let old = try BenchDatabase(request).keyring().activeDatabaseKey()
        let measured = try request.run()
        #expect(try measured.hash.hex == WorkloadName.rotate.expected(40, 40))
        #expect(measured.operations == 40)
        #expect(measured.settings == request.settings)
        #expect(try Bytes.read(request.path).prefix(16) != before.prefix(16))
        #expect(throws: LockstepError.self) { _ = try Connection.open(request.path, key: old) }
        // And once more, on the result.
        #expect(try request.run().hash.hex == measured.hash.hex)
    }

    @Test("A verification opens the whole file, and the run answers as peers must")
    func verify() throws {
        try fill()
        let request = try request(.verify)
        let measured = try request.run()
        #expect(try measured.hash.hex == WorkloadName.verify.expected(40, 40))
        #expect(measured.operations == 40)
        #expect(measured.settings == request.settings)
    }

    @Test("A file that does not verify is not measured")
    func damaged() throws {
        try fill()
        let store = try BenchDatabase(request(.scan)).open(BenchDatabase(request(.scan)).key())
        try store.blocking.write { db in
            try db.execute("CREATE TABLE other (id INTEGER PRIMARY KEY)")
        }
        try store.blocking.close()
        #expect(throws: (any Error).self) { try request(.verify).run() }
    }

    @Test("Without the file they report that", arguments: [WorkloadName.update, .rotate, .verify])
    func missing(_ workload: WorkloadName) throws {
        #expect(throws: (any Error).self) { try request(workload).run() }
    }

    @Test("Each run gets a copy of the file, with settings that it supports")
    func copies() {
        for workload in [WorkloadName.update, .rotate, .verify] {
            guard case .copy(let maker) = workload.type.input else {
                Issue.record("\(workload.rawValue) has no copy")
                continue
            }
            #expect(maker.name == "fill")
            #expect(WorkloadName.compared.contains(workload))
        }
        #expect(UpdateWorkload.synchronous(.full) == [.full])
        #expect(RotateWorkload.synchronous(.full) == [.normal])
        #expect(VerifyWorkload.synchronous(.full) == [.normal])
    }
}
