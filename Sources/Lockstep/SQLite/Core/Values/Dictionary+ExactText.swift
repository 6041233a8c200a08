extension Dictionary where Key == ExactText {
    /// The value for a text.
    public subscript(text: String) -> Value? {
        get { self[ExactText(text)] }
        set { self[ExactText(text)] = newValue }
    }
}
