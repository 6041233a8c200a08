import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("The table of features")
struct FeatureTableTests {
    @Test("Every test that it names exists")
    func names() throws {
        let folder = FilePath(#filePath).removingLastComponent()
        let table = String(
            decoding: try Bytes.read(folder.appending("FEATURES.md")), as: UTF8.self)
        let files = try #require(FileManager.default.enumerator(atPath: folder.string)?.allObjects as? [String])
        let names = table.matches(of: #/`([A-Za-z]+)/([A-Za-z0-9]+)`/#)
        #expect(names.count > 80)
        for name in names {
            let file = files.first { $0.hasSuffix("/\(name.1).swift") || $0 == "\(name.1).swift" }
            guard let file else {
                Issue.record("there is no file \(name.1)")
                continue
            }
            let source = String(decoding: try Bytes.read(folder.appending(file)), as: UTF8.self)
            let isThere =
                source.contains("func \(name.2)(") && source.contains("@Test")
            #expect(isThere, "\(name.0)")
        }
    }
}
