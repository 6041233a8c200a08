import TestSupport

@testable import EngineTestSupport
@testable import Lockstep

/// Generates the operator's SQL with a random number generator.
struct HostileDice {
    private var numbers: SplitMix64

    init(seed: UInt64) { numbers = SplitMix64(state: seed) }

    mutating func number(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &numbers) }

    /// True once in this many times.
    mutating func chance(_ oneIn: Int) -> Bool { number(below: oneIn) == 0 }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[number(below: elements.count)]
    }

    mutating func shuffled<Element>(_ elements: [Element]) -> [Element] {
        elements.shuffled(using: &numbers)
    }

    mutating func hex(_ bytes: Int) -> String {
        Hex.encode((0..<bytes).map { _ in UInt8.random(in: 0...255, using: &numbers) })
    }

    // MARK: Calls

    private static let functions = [
        "lockstep_open", "lockstep_seal", "lockstep_token", "lockstep_same", "lockstep_check",
        "lockstep_reseal", "lockstep_open_whole", "lockstep_written",
    ]

    /// A function's name with the parenthesis that opens its arguments, in one of the spellings that SQLite accepts.
    mutating func spelled(_ function: String) -> String {
        let quoted = pick([
            function, function.uppercased(), "\"\(function)\"", "[\(function)]", "`\(function)`",
            "\"\(function.prefix(1).uppercased())\(function.dropFirst())\"",
        ])
        // To SQLite, a byte order mark is white space, but after a word it is a letter of that word.
        let gaps =
            quoted.first?.isLetter == true
            ? ["", " ", "\n", "/* ( */", "-- (\n"]
            : ["", " ", "\u{FEFF}", "/* ) */\u{FEFF}", "\t"]
        return quoted + pick(gaps) + "("
    }

    /// A value in place of the connection's capability.
    private mutating func pretence(_ row: String) -> String {
        switch number(below: 9) {
        case 0...3: "\(number(below: 8))"
        case 4: "'film.title'"
        case 5: "x'\(hex(20))'"
        case 6: "randomblob(20)"
        case 7: "\(row)title"
        default:
            pick([
                "NULL", "zeroblob(20)", "substr(\(row)title, 1, 20)", "\(row)year", "-1",
                "(SELECT substr(sql, instr(sql, 'x''') + 2, 40) FROM sqlite_temp_schema)",
                "(SELECT unhex(substr(sql, instr(sql, 'x''') + 2, 40)) FROM temp.sqlite_schema)",
            ])
        }
    }

    /// A plaintext that an operator wants sealed or tokenised.
    mutating func plaintext() -> String {
        SQLTokens.quoteText(chance(2) ? pick(HostileTemplate.guesses) : "\(HostileTemplate.forged)-\(hex(2))")
    }

    /// A call of one of the privileged functions.
    /// - Parameter row: The prefix of the row's columns, such as `NEW.`
    mutating func call(_ row: String) -> String {
        let function = pick(Self.functions)
        let first = pretence(row)
        let arguments =
            switch function {
            case "lockstep_seal": [first, plaintext(), pick(["7", "\(row)id", "1"])]
            case "lockstep_token": [first, pick(["1", "2", "'exact'"]), plaintext()]
            case "lockstep_same": [first, "1", "\(row)title", plaintext()]
            case "lockstep_written": [first, "1", "1"]
            case "lockstep_check": [first, "\(row)title", "\(row)id", "NULL", "NULL"]
            default: [first, pick(["\(row)title", "\(row)note"]), "\(row)id"]
            }
        return "\(spelled(function))\(arguments.joined(separator: ", ")))"
    }

    /// A query for cells of existing rows, for a default, which runs before its own row exists.
    mutating func callOnKnown(_ cells: [String]) -> String {
        guard let cell = cells.isEmpty ? nil : pick(cells), chance(2) else {
            let value = chance(2) ? plaintext() : "lower(\(plaintext()))"
            return chance(3)
                ? "\(spelled("lockstep_token"))\(number(below: 3)), \(pick(["1", "2"])), \(value))"
                : "\(spelled("lockstep_seal"))\(number(below: 6)), \(value), \(number(below: 20)))"
        }
        let call = "\(spelled("lockstep_open"))0, \(cell))"
        return pick([call, "upper(\(call))", "hex(\(call))", "'' || \(call) || ''"])
    }

    // MARK: Reading

    /// Something that the operator wants to keep: cells, and values that the file's SQL must not see.
    mutating func loot(_ row: String) -> String {
        switch number(below: 12) {
        case 0...3: call(row)
        case 4: "hex(\(row)title)"
        case 5: "\(row)note || \(row)genre"
        case 6: "lower(\(row)title) || upper(\(row)title) || quote(\(row)title)"
        case 7:
            pick([
                "(SELECT group_concat(sql) FROM sqlite_temp_schema)",
                "(SELECT group_concat(sql) FROM temp.sqlite_schema)",
                "(SELECT group_concat(sql) FROM sqlite_temp_master)",
            ])
        case 8:
            pick(["(SELECT group_concat(title) FROM film_open)", "(SELECT group_concat(title) FROM temp.film_open)"])
        case 9:
            pick([
                "(SELECT group_concat(p4) FROM bytecode('SELECT * FROM film_open'))",
                "(SELECT group_concat(sql) FROM sqlite_stmt)", "(SELECT hex(data) FROM sqlite_dbpage('temp'))",
                "(SELECT group_concat(name) FROM dbstat('temp'))",
            ])
        case 10:
            "(SELECT group_concat(dflt_value || name) FROM pragma_table_xinfo('film_open', 'temp'))"
        default: "(SELECT group_concat(hex(title)) FROM film)"
        }
    }

    // MARK: Names

    /// A name that is easily confused with something else, or easily misquoted.
    mutating func name() -> String {
        pick([
            "a\"b", "q\"\u{301}x", "it's", "it'\u{301}s", "new\nline", "tab\tx", "lockstep_row",
            "rowid",
            "_rowid_", "temp", "main", "sqlite", "film_open_insert", "temp.film_open", "select",
            "NEW",
            "OLD", "\u{202E}x", "e\u{301}", "\u{1F469}\u{200D}\u{1F467}", "a)b", "a--b", "a/*b",
            "[x]", "`x`", "",
        ]) + (chance(2) ? hex(1) : "")
    }
}
