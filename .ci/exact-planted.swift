// The negative control of exact.awk, which must find the lines marked with "found", and no other.

/// `[String: Int]` and `one.name == other.name` in a comment.
struct Planted {
    var counts: [String: Int] = [:]  // found
    private let known: Set<String>  // found
    func rows(_ table: String) -> [Substring: Int] { [:] }  // found
    private static let words: Set<String> = ["up", "down"]
    var pairs: Set<[String]> = []  // found
    // exact: keys of a file of our own
    private var keys: Set<String> = []
    private var others: Set<String> = []  // found
    // exact: names that the program gives
    /// Binds values.
    @inlinable
    func bind(_ values: [String: Int]) {}
    func bound(_ values: [String: Int]) {}  // found
    var fields: [String: Int]  // exact: names of fields
    let column = columns.first { $0.name == name }  // found
    let set = sets.first(where: { $0.name == name }), applied = entries.filter { $0.set == set.name }
    let isOther = table.name != other.name  // found
    let index = indexes.first { name == $0.fileName }  // found
    let isMade = tables.contains { wanted == $0.name }  // found
    // exact: names of slots
    let slot = slots.first { $0.name == name }
    let next = slots.first { $0.name == name }  // found
    let isBuiltIn = name == "main" || name == nil || kind.name == .table
    let typed = SQLName(one.name) == SQLName(other.name) && ExactText($0.name) != name
    let texts: Set<ExactText> = []
    let places: [ExactText: Int] = [:], values: [SQLName: String] = [:]
    let isFirst = lastName(of: path) == text
}
