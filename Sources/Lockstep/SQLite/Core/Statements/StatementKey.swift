/// The text of a statement as a key of the cache, by its bytes: SQLite runs bytes, and two texts that Swift takes for
/// equal can name different tables. It is hashed once: texts are long, and each run looks for its statement and puts it
/// back.
struct StatementKey: Hashable {
    let text: String
    private let hash: UInt64

    init(_ text: String) {
        self.text = text
        hash = ExactText.hash(of: text)
    }

    static func == (one: StatementKey, other: StatementKey) -> Bool {
        one.hash == other.hash && ExactText.areSame(one.text, other.text)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
