/// The names of the properties of sets: `films` for the set films, `oldFilms` for old-films, and `_2024` for 2024.
enum PropertyName {
    /// What the type has already, and words that cannot be a property's name even in backticks.
    private static let taken: Set<String> = ["names", "set", "files", "init", "self", "Type"]

    /// Swift's words that can be a name in backticks.
    private static let words: Set<String> = [
        "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer",
        "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for",
        "func", "guard", "if", "import", "in", "inout", "internal", "is", "let", "nil", "operator",
        "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return",
        "static",
        "struct", "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias",
        "var",
        "where", "while",
    ]

    /// The properties by the names of the sets. A set whose property would have another's name has none.
    static func of(_ sets: [String]) -> [String: String] {  // exact: names of properties
        var properties: [String: String] = [:]  // exact: names of properties
        var used = taken
        for set in sets {
            let name = plain(set)
            guard !name.isEmpty, used.insert(name).inserted else { continue }
            properties[set] = words.contains(name) ? "`\(name)`" : name
        }
        return properties
    }

    private static func plain(_ set: String) -> String {
        var name = ""
        var isStart = false
        for character in set {
            guard character != "-" else {
                isStart = !name.isEmpty
                continue
            }
            name += isStart ? character.uppercased() : String(character)
            isStart = false
        }
        return name.first?.isNumber == true ? "_\(name)" : name
    }
}
