/// A content that is handed to another thread, and is that thread's alone from then on: a job that captures it
/// would keep it until some time after the job is over.
// Sendable by this proof: one thread puts the content in before any other knows of it, and one takes it out.
final class Transfer<Content>: @unchecked Sendable {
    private var content: Content?

    init(_ content: Content) { self.content = content }

    /// The content, the first time.
    func take() -> Content? {
        defer { content = nil }
        return content
    }
}
