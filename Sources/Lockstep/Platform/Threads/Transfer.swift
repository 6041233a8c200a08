/// Content that is handed over to another thread, which then owns it: a job that captured the content directly would
/// keep it until some time after the job ends.
// Sendable by this proof: one thread stores the content before any other has access, and one thread takes it.
final class Transfer<Content>: @unchecked Sendable {
    private var content: Content?

    init(_ content: Content) { self.content = content }

    /// The content on the first call; nil afterwards.
    func take() -> Content? {
        defer { content = nil }
        return content
    }
}
