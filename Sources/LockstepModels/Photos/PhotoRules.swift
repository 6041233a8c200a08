internal import Lockstep

/// Which content is accepted as a photo.
public struct PhotoRules: Sendable, Hashable {
    /// Whether content that is not an image is accepted too: any bytes, or none.
    public var allowsAnyContent = false
    /// Whether content that is already stored, under any name, is refused.
    public var refusesKnownContent = false

    /// Accepts only images, however often the same one occurs.
    public init() {}

    /// Makes rules with these values.
    public init(allowsAnyContent: Bool = false, refusesKnownContent: Bool = false) {
        self.allowsAnyContent = allowsAnyContent
        self.refusesKnownContent = refusesKnownContent
    }
}
