import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Connection.sealedColumns")
struct SealedColumnsTests {
    private func names(_ connection: borrowing Connection) throws -> [String] {
        try connection.sealedColumns.map { "\($0.table).\($0.name) \($0.state)" }
    }

    @Test("lists what is sealed, by table and name, and follows changes of another connection")
    func following() throws {
        let bench = try SealedTableWorkbench()
        let reader = try bench.open()
        #expect(try names(reader) == [])
        let writer = try bench.sealed()
        #expect(try names(reader) == ["film.title sealed"])
        try writer.protect("note", of: "film", keys: bench.keys)
        #expect(try names(reader) == ["film.note sealed", "film.title sealed"])
        #expect(try names(writer) == ["film.note sealed", "film.title sealed"])
        try writer.unprotect("title", of: "film", keys: bench.keys)
        #expect(try names(reader) == ["film.note sealed"])
    }

    @Test("it can be asked inside a transaction, and leaves it open")
    func inTransaction() throws {
        let bench = try SealedTableWorkbench()
        let connection = try bench.sealed()
        try connection.write { connection in
            let found = try names(connection)
            #expect(found == ["film.title sealed"])
            let isOpen = connection.isInTransaction
            #expect(isOpen)
        }
    }

    @Test("a connection without the dataset's keys lists nothing")
    func withoutKeys() throws {
        let bench = try SealedTableWorkbench()
        _ = try bench.sealed()
        let connection = try bench.open([])
        #expect(try names(connection) == [])
    }

    @Test("a registry that was forged meanwhile is refused")
    func forged() throws {
        let bench = try SealedTableWorkbench()
        _ = try bench.sealed()
        let reader = try bench.open()
        let other = try bench.open([])
        try other.with(rights: .engine) {
            try other.execute("UPDATE lockstep_column SET state = 'plaintext'")
            try other.execute("UPDATE lockstep_dataset SET changes = changes + 1")
        }
        let error = #expect(throws: LockstepError.self) { _ = try reader.sealedColumns }
        #expect(error?.code == .registryForged)
    }
}
