import TestSupport

@testable import EngineTestSupport
@testable import Lockstep

/// A random schema, which can be written in many ways and changed in many.
struct RandomSchema {
    /// A piece of a definition.
    enum Piece: Equatable {
        /// A keyword or symbols.
        case word(String)
        /// A name, which can be quoted and written in capitals.
        case name(String)
        /// Text in which every letter counts.
        case exact(String)
    }

    struct Object {
        let type: String
        let name: String
        var pieces: [Piece]
    }

    private(set) var objects: [Object] = []
    private var random: SplitMix64

    init(seed: UInt64) {
        random = SplitMix64(state: seed)
        let tables = Int.random(in: 1...4, using: &random)
        for number in 0..<tables { addTable("t\(number)") }
        for number in 0..<Int.random(in: 0...3, using: &random) { addIndex("i\(number)") }
        for number in 0..<Int.random(in: 0...2, using: &random) { addView("v\(number)") }
        for number in 0..<Int.random(in: 0...2, using: &random) { addTrigger("g\(number)") }
    }

    private mutating func coin(_ odds: Int = 2) -> Bool {
        Int.random(in: 0..<odds, using: &random) == 0
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    /// `[x]` is a name, in which `~` stands for a space, `'x'` is exact, everything else is a word.
    private static func pieces(_ text: String) -> [Piece] {
        text.split(separator: " ").map { part in
            switch part.first {
            case "[": .name(String(part.dropFirst().dropLast()).replacing("~", with: " "))
            case "'": .exact(String(part))
            default: .word(String(part))
            }
        }
    }

    // MARK: Drawing

    private static let columns = ["a", "b", "key", "order~by", "ünï"]

    private mutating func addTable(_ name: String) {
        var parts: [[Piece]] = []
        let columns = Self.columns.prefix(Int.random(in: 2...5, using: &random))
        for column in columns {
            var text = "[\(column)]"
            text += " " + pick(["INTEGER", "TEXT", "REAL", "BLOB", "VARCHAR ( 30 )"])
            if coin() { text += " NOT NULL" }
            if coin(3) {
                text += " DEFAULT " + pick(["1", "- 2", "'Abc'", "x'0aff'", "( 1 + 2 )"])
            }
            if coin(4) { text += " UNIQUE" }
            if coin(4) { text += " COLLATE [nocase]" }
            if coin(3) { text += " CHECK ( [\(column)] " + pick(["<>", ">=", "!="]) + " 'x' )" }
            if coin(4) {
                text += " REFERENCES [t0] ( [a] ) ON DELETE " + pick(["CASCADE", "SET NULL"])
            }
            parts.append(Self.pieces(text))
        }
        if coin(3) { parts.append(Self.pieces("CONSTRAINT [c] CHECK ( [a] < 5 OR [b] IS NULL )")) }
        if coin(3) { parts.append(Self.pieces("UNIQUE ( [a] , [b] DESC )")) }
        if coin(3) { parts.append(Self.pieces("FOREIGN KEY ( [b] ) REFERENCES [t0] ( [a] )")) }
        let inner = Array(parts.joined(separator: [.word(",")]))
        let start = Self.pieces("CREATE TABLE [\(name)] (")
        objects.append(Object(type: "table", name: name, pieces: start + inner + [.word(")")]))
    }

    private mutating func addIndex(_ name: String) {
        var text = coin() ? "CREATE UNIQUE INDEX [\(name)] ON" : "CREATE INDEX [\(name)] ON"
        text += " [t0] ( [a] " + pick(["", "DESC", "COLLATE [rtrim]"]) + " , lower ( [b] ) )"
        if coin() { text += " WHERE [a] > " + pick(["1", "2.5", "'Z'"]) }
        objects.append(Object(type: "index", name: name, pieces: Self.pieces(text)))
    }

    private mutating func addView(_ name: String) {
        var text = "CREATE VIEW [\(name)] AS SELECT [x] . [a] , count ( * ) AS [total]"
        text += " FROM [t0] AS [x] " + pick(["", "LEFT JOIN [t0] AS [y] USING ( [b] )"])
        text += " WHERE [x] . [b] LIKE 'A%' GROUP BY [x] . [a]"
        objects.append(Object(type: "view", name: name, pieces: Self.pieces(text)))
    }

    private mutating func addTrigger(_ name: String) {
        var text = "CREATE TRIGGER [\(name)] " + pick(["BEFORE", "AFTER"])
        text += " UPDATE OF [a] ON [t0] WHEN [new] . [a] <> 'Old' BEGIN"
        text += " UPDATE [t0] SET [b] = 'New' WHERE [a] = [new] . [a] ; SELECT 1 ; END"
        objects.append(Object(type: "trigger", name: name, pieces: Self.pieces(text)))
    }

    // MARK: Writing

    /// The statements in one of many spellings; those that others depend on come first.
    func written(_ random: inout SplitMix64) -> [String] {
        let tables = objects.filter { $0.type == "table" }.shuffled(using: &random)
        let others = objects.filter { $0.type != "table" }.shuffled(using: &random)
        return (tables + others).map { Self.written($0, &random) }
    }

    private static func written(_ object: Object, _ random: inout SplitMix64) -> String {
        let spaces = [" ", "  ", "\n", "\t", " /* a; 'b' */ ", " -- c\n"]
        return object.pieces.map { piece in
            let text =
                switch piece {
                case .exact(let text): text
                case .word(let word): Bool.random(using: &random) ? word : word.lowercased()
                case .name(let name): spelled(name, &random)
                }
            return text + (spaces.randomElement(using: &random) ?? " ")
        }.joined()
    }

    private static func spelled(_ name: String, _ random: inout SplitMix64) -> String {
        let isPlain = !name.utf8.contains(0x20)
        let cased = Bool.random(using: &random) ? name : name.asciiUppercased
        switch Int.random(in: 0..<(isPlain ? 4 : 3), using: &random) {
        case 0: return "\"\(cased)\""
        case 1: return "[\(cased)]"
        case 2: return "`\(cased)`"
        default: return cased
        }
    }

    // MARK: Changing

    /// Replaces one piece by another with a different meaning; nil if nothing can be replaced.
    mutating func change(_ random: inout SplitMix64) -> (type: String, name: String)? {
        var places: [(Int, Int)] = []
        for (index, object) in objects.enumerated() {
            for (at, piece) in object.pieces.enumerated()
            where Self.replacement(piece) != nil { places.append((index, at)) }
        }
        guard let (index, at) = places.randomElement(using: &random),
            let new = Self.replacement(objects[index].pieces[at])
        else { return nil }
        objects[index].pieces[at] = new
        return (objects[index].type, objects[index].name)
    }

    private static func replacement(_ piece: Piece) -> Piece? {
        let others = [
            "INTEGER": "INT", "TEXT": "CHAR", "REAL": "NUMERIC", "BLOB": "TEXT", "30": "31",
            "1": "11", "2": "22", "<>": "==", ">=": "<=", "!=": "=", "CASCADE": "RESTRICT",
            "5": "6", "OR": "AND", "DESC": "ASC", "2.5": "2.25", "LEFT": "INNER",
            "LIKE": "GLOB", "BEFORE": "AFTER", "AFTER": "BEFORE", "x'0aff'": "x'0afe'",
        ]
        switch piece {
        case .word(let word): return others[word].map { .word($0) }
        case .name(let name):
            return ["nocase": "rtrim", "rtrim": "binary", "total": "sum"][name].map { .name($0) }
        case .exact(let text): return .exact(text.dropLast() + " '")
        }
    }
}

extension String {
    var asciiUppercased: String {
        String(decoding: utf8.map { (0x61...0x7A).contains($0) ? $0 & 0xDF : $0 }, as: UTF8.self)
    }
}
