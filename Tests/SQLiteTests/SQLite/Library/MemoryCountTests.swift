import CSQLCipher
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("SQLite's count of its memory")
struct MemoryCountTests {
    @Test("It is disabled, whichever way SQLite is initialized", arguments: [true, false])
    func leftOut(_ beginsWithFile: Bool) async {
        // In a process in which SQLite has not been initialized yet.
        await #expect(processExitsWith: .success) { [beginsWithFile = beginsWithFile as Bool] in
            do {
                let scratch = try DatabaseScratch()
                if beginsWithFile {
                    try scratch.folder.write("data.db", "no database")
                    let file = try DatabaseFile(scratch.path)
                    #expect(sqlite3_memory_used() == 0)
                    let size = file.size
                    #expect(size == 11)
                } else {
                    try scratch.fill(rows: 3)
                    let connection = try scratch.open()
                    #expect(try scratch.count(connection) == 3)
                    #expect(sqlite3_memory_used() == 0)
                }
                #expect(MemoryCount.isLeftOut)
            } catch {
                Issue.record(error)
            }
        }
    }

    @Test("If other code has initialized SQLite before, it stays on, and databases open") func kept() async {
        await #expect(processExitsWith: .success) {
            do {
                #expect(sqlite3_initialize() == SQLITE_OK)
                let scratch = try DatabaseScratch()
                try scratch.fill(rows: 3)
                let connection = try scratch.open()
                #expect(try scratch.count(connection) == 3)
                #expect(!MemoryCount.isLeftOut)
                #expect(sqlite3_memory_used() > 0)
            } catch {
                Issue.record(error)
            }
        }
    }
}
