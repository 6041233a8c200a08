/// `meta/_journal.json` of drizzle: an object with a list `entries`, whose objects have a number `idx` and a text
/// `tag`.
struct DrizzleJournal {
    /// The names of the versions' files without `.sql`, in the order in which they run.
    let tags: [String]

    init(_ source: MigrationSource) throws(LockstepError) {
        guard case .object(let journal) = JSONDocument(try source.text()).value,
            case .list(let entries) = journal["entries"]
        else {
            throw source.malformed(
                "is no journal of drizzle: it is not a JSON object with a list `entries`",
                hint: "restore it from version control")
        }
        if case .text(let dialect) = journal["dialect"] {
            try SQLDialect.require(dialect == "turso" ? "sqlite" : dialect, in: source)
        }
        var tags: [String] = []
        for (index, entry) in entries.enumerated() {
            guard case .object(let fields) = entry, case .text(let tag) = fields["tag"],
                !tag.isEmpty, !tag.utf8.contains(UInt8(ascii: "/"))
            else {
                throw source.malformed("has an entry \(index) without a tag", hint: "restore it from version control")
            }
            guard case .number(let place) = fields["idx"], place == "\(index)" else {
                throw source.malformed(
                    "does not have \(tag) at the place that its idx says",
                    hint: "sort the entries by idx, from 0 on, without gaps")
            }
            tags.append(tag)
        }
        self.tags = tags
    }
}
