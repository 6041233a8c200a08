public import Lockstep

/// What opens files that were exported for recipients, or made by any other program in age's format. An import with one
/// takes such files only: any other is refused, because nothing proves that it is what was sent.
public final class ImportIdentity: Sendable {
    let identity: Identity

    /// Takes over an identity.
    public init(_ identity: consuming Identity) { self.identity = identity }
}
