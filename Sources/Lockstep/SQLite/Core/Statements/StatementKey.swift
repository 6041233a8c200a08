/// The text of a statement as a key of the cache. It is hashed once: texts are long, and each run looks for its statement and puts
/// it back.
struct StatementKey: Hashable {
    let text: String
    private let hash: Int

    init(_ text: String) {
        self.text = text
        hash = text.hashValue
    }

    static func == (one: StatementKey, other: StatementKey) -> Bool {
        one.hash == other.hash && one.text == other.text
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
