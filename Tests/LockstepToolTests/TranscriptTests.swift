import Testing

/// A transcript without a suite of its own starts in an empty folder.
@Suite("The tool at the command line")
struct TranscriptTests {
    private static let names = Transcript.all.filter { !$0.contains("/") }

    @Test("Transcript", arguments: Transcript.chosen(of: names))
    func transcript(name: String) async throws {
        let transcript = try Transcript(name)
        #expect(!transcript.steps.isEmpty)
        try await transcript.run()
    }

    @Test("Every transcript is run by a suite")
    func complete() {
        let others = SealedTranscriptTests.names + CheapSlotTests.names + PluginToolTests.transcripts
        #expect(Transcript.all == (Self.names + others).sorted())
        #expect(Self.names.count >= 5)
    }

    @Test("A transcript that is chosen by its name exists")
    func present() throws {
        guard let chosen = Transcript.chosen else { return }
        try #require(!chosen.isEmpty)
        for name in chosen {
            #expect(Transcript.all.contains(name), "no transcript \(name)")
        }
    }
}
