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
            workload: workload, variant: try OwnWorkloads.variant(nil, of: workload),
            path: folder.file("bench.db"), rows: rows, operations: operations ?? rows,
            cacheBytes: 1_048_576, synchronous: .normal, key: RunRequest.ordinaryKey)
    }

    private func fill(rows: Int = 40) throws {
        _ = try OwnWorkloads.run(request(.fill, rows: rows))
    }

    @Test("An update changes the rows of the keys, and no others", arguments: [1, 7, 200])
    func update(_ operations: Int) throws {
        try fill()
        let request = try request(.update, operations: operations)
        let measured = try OwnWorkloads.run(request)
        #expect(measured.operations == operations)
        #expect(measured.settings == request.settings)
        #expect(measured.hash.hex == UpdateWorkload.expected(rows: 40, operations: operations))
        #expect(measured.hash.hex != RowHash.expected(.scan, rows: 40, operations: 40))
    }

    /// The answers are those of the peer in C.
    @Test(
        "Peers compute these checksums of updates",
        arguments: [(1, 1, "a966fddcd406f394"), (1000, 500, "9f47a317feaf9846")])
    func checksums(_ rows: Int, _ operations: Int, _ answer: String) {
        #expect(UpdateWorkload.expected(rows: rows, operations: operations) == answer)
    }

    @Test("A rotation leaves every row under a new key, and the run answers as peers must")
    func rotate() throws {
        try fill()
        let request = try request(.rotate)
        let before = try Bytes.read(request.path)
        let old = try BenchDatabase(request).keyring().databaseKey()
        let measured = try OwnWorkloads.run(request)
        #expect(measured.hash.hex == RowHash.expected(.rotate, rows: 40, operations: 40))
        #expect(measured.operations == 40)
        #expect(measured.settings == request.settings)
        #expect(try Bytes.read(request.path).prefix(16) != before.prefix(16))
        #expect(throws: LockstepError.self) { _ = try Connection.open(request.path, key: old) }
        // And once more, on the result.
        #expect(try OwnWorkloads.run(request).hash.hex == measured.hash.hex)
    }

    @Test("A verification opens the whole file, and the run answers as peers must")
    func verify() throws {
        try fill()
        let request = try request(.verify)
        let measured = try OwnWorkloads.run(request)
        #expect(measured.hash.hex == RowHash.expected(.verify, rows: 40, operations: 40))
        #expect(measured.operations == 40)
        #expect(measured.settings == request.settings)
    }

    @Test("A file that does not verify is not measured")
    func damaged() throws {
        try fill()
        let store = try BenchDatabase(request(.scan)).open(BenchDatabase(request(.scan)).key())
        try store.write { db in try db.execute("CREATE TABLE other (id INTEGER PRIMARY KEY)") }
        try store.close()
        #expect(throws: (any Error).self) { try OwnWorkloads.run(request(.verify)) }
    }

    @Test("Without the file they report that", arguments: [WorkloadName.update, .rotate, .verify])
    func missing(_ workload: WorkloadName) throws {
        #expect(throws: (any Error).self) { try OwnWorkloads.run(request(workload)) }
    }

    @Test("Each run gets a copy of the file, with settings that it supports")
    func copies() {
        for workload in [WorkloadName.update, .rotate, .verify] {
            #expect(workload.preparation == .fill)
            #expect(workload.changesFile)
            #expect(WorkloadName.compared.contains(workload))
        }
        #expect(WorkloadName.update.canBeFull)
        #expect(!WorkloadName.rotate.canBeFull)
        #expect(!WorkloadName.verify.canBeFull)
    }
}
