public import Lockstep

/// What opens files that were exported for recipients, or made by any other program in age's format: an import with one
/// takes such a file, and any other as it is.
public final class ImportIdentity: Sendable {
    let identity: Identity

    /// Takes over an identity.
    public init(_ identity: consuming Identity) { self.identity = identity }
}
