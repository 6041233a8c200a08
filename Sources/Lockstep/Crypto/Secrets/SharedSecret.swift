/// A secret that several threads read. It is wiped when the last of them lets go of it.
package final class SharedSecret<Secret: ~Copyable & Sendable>: Sendable {
    /// The secret, on loan.
    package let value: Secret

    /// Takes over a secret.
    package init(_ value: consuming Secret) { self.value = value }
}
