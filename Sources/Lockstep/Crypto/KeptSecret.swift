/// A secret that several threads read. It is wiped when the last of them lets go of it.
// Sendable by this proof: the secret is constant, and only read.
final class KeptSecret: @unchecked Sendable {
    let value: SecretBytes

    init(_ value: consuming SecretBytes) { self.value = value }
}
