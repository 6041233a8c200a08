internal import Lockstep

/// What is taken for a photo.
public struct PhotoRules: Sendable, Hashable {
    /// Whether content that is no image is taken too: any bytes, or none.
    public var allowsAnyContent = false
    /// Whether content that is there already, under any name, is refused.
    public var refusesKnownContent = false

    /// Images only, as many times as they come.
    public init() {}

    /// With what is said of content.
    public init(allowsAnyContent: Bool = false, refusesKnownContent: Bool = false) {
        self.allowsAnyContent = allowsAnyContent
        self.refusesKnownContent = refusesKnownContent
    }
}
