/// A value that is handed to another thread, and is that thread's alone from then on: a job that captures it
/// would keep it until some time after the job is over.
// Sendable by this proof: one thread puts the value in before any other knows of it, and one takes it out.
final class Handover<Value>: @unchecked Sendable {
    private var value: Value?

    init(_ value: Value) { self.value = value }

    /// The value, the first time.
    func take() -> Value? {
        defer { value = nil }
        return value
    }
}
