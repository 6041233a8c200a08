import Testing

@Suite("The tool at the command line")
struct TranscriptTests {
    @Test("Transcript", arguments: Transcript.names)
    func transcript(name: String) async throws {
        let transcript = try Transcript(name)
        #expect(!transcript.steps.isEmpty)
        try await transcript.run()
    }

    @Test("There are transcripts")
    func present() { #expect(Transcript.names.count >= 5) }
}
