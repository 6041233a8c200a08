public import Testing

extension Testing.Trait where Self == ConditionTrait {
    /// For tests that store Foundation's types, which the package trait Foundation brings.
    public static var withFoundation: Self {
        #if Foundation
        .enabled(if: true)
        #else
        .disabled("built without Foundation's types")
        #endif
    }
}
