/// A database key that several threads read. It is wiped when the last of them lets go of it.
// Sendable by this proof: the key is constant, and only read.
final class SharedKey: @unchecked Sendable {
    let value: DatabaseKey

    init(_ value: consuming DatabaseKey) { self.value = value }
}
