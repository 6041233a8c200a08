import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("What records encode themselves to")
struct RowSinkTests {
    /// A record with a property that encodes itself as one value, and one that is stored as JSON.
    private struct Page: Record {
        enum Mood: String, Codable { case calm }

        var id: Int64?
        var mood: Mood?
        var tags: [String]
    }

    @Test("A sink ends with its call, and its values with it")
    func ends() throws {
        weak var ended: RowSink?
        do {
            let sink = try RowSink.collect(Page(mood: .calm, tags: ["a"]))
            #expect(sink.values.count == 3)
            ended = sink
            #expect(ended != nil)
        }
        #expect(ended == nil)
    }
}
