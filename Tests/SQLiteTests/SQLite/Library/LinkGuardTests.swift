import Lockstep
import Testing

@testable import EngineTestSupport

@Suite("Link guard")
struct LinkGuardTests {
    @Test("The library in this process is SQLCipher 4")
    func version() throws {
        let version = try Connection.libraryVersion()
        #expect(version.hasPrefix("4."), "\(version)")
        #expect(try Connection.libraryVersion() == version)
    }
}
