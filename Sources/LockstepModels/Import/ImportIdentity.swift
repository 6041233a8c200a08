public import Lockstep

/// Opens files that were exported for recipients, or made by any other program in age's format. An import with an
/// identity accepts only such files: any other is refused, because nothing proves that it is what was sent.
public final class ImportIdentity: Sendable {
    let identity: Identity

    /// Consumes an identity.
    public init(_ identity: consuming Identity) { self.identity = identity }
}
