extension [String] {
    /// The words in a sentence, with another before the last: `a, b or c`.
    func listed(before word: String) -> String {
        guard let last, count > 1 else { return first ?? "" }
        return "\(dropLast().joined(separator: ", ")) \(word) \(last)"
    }
}
