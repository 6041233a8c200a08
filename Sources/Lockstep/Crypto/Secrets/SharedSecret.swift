/// A secret that several threads read. It is wiped when the last reference is released.
package final class SharedSecret<Secret: ~Copyable & Sendable>: Sendable {
    /// The secret.
    package let value: Secret

    /// Takes ownership of a secret.
    package init(_ value: consuming Secret) { self.value = value }
}
