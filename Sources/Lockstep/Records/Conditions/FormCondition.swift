/// A condition on a column whose values are read from several forms: it compares what is read.
///
/// Beside that, it says what all values satisfy that can be meant, as they are stored: there SQLite can use an index.
struct FormCondition {
    /// The column as SQL.
    private let name: String
    private let column: FormedColumns.Column
    /// The table as SQL, to see whether a condition needs to look for other forms.
    private let table: String

    private var form: StoredForm { column.form }
    /// What is read from the column.
    private var read: String { form.read(name) }

    init(_ name: String, _ column: FormedColumns.Column, _ table: String) {
        (self.name, self.column, self.table) = (SQLTokens.quote(name), column, table)
    }

    /// A value in the form in which what is read is compared.
    static func written(_ value: Value, _ form: StoredForm) -> Value {
        form.canonical(value) ?? value
    }

    /// Nil for a condition that compares no values.
    func sql(_ tree: ConditionTree, negated: Bool) -> SQL? {
        switch tree {
        case .compare(_, let comparison, let value):
            return compare(negated ? comparison.negated : comparison, value)
        case .oneOf(_, let values):
            let list = SQL.list(values.map { Self.written($0, form) })
            guard !negated, !values.isEmpty, values.count <= 8 else {
                return "\(verbatim: read) \(verbatim: negated ? "NOT IN" : "IN") \(list)"
            }
            var any: SQL = ""
            for (index, value) in values.enumerated() {
                any = index == 0 ? equal(value) : "\(any) OR \(equal(value))"
            }
            return "(\(any))"
        case .between(_, let first, let last):
            guard !negated else {
                return "(\(compare(.less, first)) OR \(compare(.greater, last)))"
            }
            return "(\(compare(.greaterOrEqual, first)) AND \(compare(.lessOrEqual, last)))"
        default: return nil
        }
    }

    /// Whether what is read is equal to a value.
    func equal(_ value: Value) -> SQL { compare(.equal, value) }

    private func compare(_ comparison: ConditionOperator, _ value: Value) -> SQL {
        let value = Self.written(value, form)
        let exactly: SQL = "\(verbatim: read) \(verbatim: comparison.rawValue) \(value)"
        let range: SQL?
        switch comparison {
        case .unequal: range = nil
        case .equal: range = candidates(value)
        case .less, .lessOrEqual: range = until(value)
        case .greater, .greaterOrEqual: range = from(value)
        }
        return range.map { "(\($0) AND \(exactly))" } ?? exactly
    }

    // MARK: Stored values

    /// What every stored value satisfies that is read as this one.
    private func candidates(_ value: Value) -> SQL? {
        switch (form, value) {
        case (.truth, .integer(let number)):
            return number == 0 ? "\(verbatim: name) = 0" : "\(verbatim: name) <> 0"
        case (.float, .real), (.moment, .real), (.moment, .integer):
            guard let low = low(value), let high = high(value) else { return nil }
            return "\(verbatim: name) BETWEEN \(low) AND \(high)"
        case (.uuid, .text(let text)):
            return "\(verbatim: name) COLLATE BINARY IN (\(text), \(text.lowercased()))"
        case (.date, .text(let text)):
            guard let borders = DateBorders(text) else { return nil }
            return any(borders.ranges, and: borders.midnight)
        case (.decimal, .text(let text)): return any(Self.decimalRanges(text), and: nil)
        case (.url, .text(let text)):
            let prefix = Self.unescaped(text)
            guard prefix.utf8.count < text.utf8.count else { return "\(verbatim: name) = \(text)" }
            return ConditionWriter.prefix(name, prefix)
        default: return nil
        }
    }

    /// What every stored value satisfies that is read as this one or less.
    private func until(_ value: Value) -> SQL? {
        switch (form, value) {
        case (.float, _), (.moment, _): high(value).map { "\(verbatim: name) <= \($0)" }
        case (.uuid, .text(let text)):
            "\(verbatim: name) COLLATE BINARY <= \(text.lowercased())"
        case (.date, .text(let text)):
            DateBorders(text).map { "\(verbatim: name) COLLATE BINARY < \($0.end)" }
        default: nil
        }
    }

    /// What every stored value satisfies that is read as this one or more.
    private func from(_ value: Value) -> SQL? {
        switch (form, value) {
        case (.float, _), (.moment, _): return low(value).map { "\(verbatim: name) >= \($0)" }
        case (.uuid, .text(let text)): return "\(verbatim: name) COLLATE BINARY >= \(text)"
        case (.date, .text(let text)):
            guard let borders = DateBorders(text) else { return nil }
            let start: SQL = "\(verbatim: name) COLLATE BINARY >= "
            guard column.isIndexed else { return "\(start)\(borders.otherStart)" }
            // Texts with a space sort before all with a T of their day. Where there are none, the rows of the day are
            // not read.
            return """
                \(start)CASE WHEN EXISTS (SELECT 1 FROM \(verbatim: table)
                WHERE \(start)\(borders.otherStart) AND \(verbatim: name) COLLATE BINARY < \(borders.otherEnd))
                THEN \(borders.otherStart) ELSE \(borders.start) END
                """
        default: return nil
        }
    }

    private func any(_ ranges: [(lowest: String, beyond: String)], and text: String?) -> SQL {
        var any: SQL = ""
        for (index, range) in ranges.enumerated() {
            let one: SQL =
                "(\(verbatim: name) COLLATE BINARY >= \(range.lowest) AND \(verbatim: name) COLLATE BINARY < \(range.beyond))"
            any = index == 0 ? one : "\(any) OR \(one)"
        }
        if let text { any = "\(any) OR \(verbatim: name) COLLATE BINARY = \(text)" }
        return "(\(any))"
    }

    // MARK: Numbers

    /// A number below which none is read as this one or more.
    private func low(_ value: Value) -> Value? {
        number(value).map { .real($0 - slack($0)) }
    }

    private func high(_ value: Value) -> Value? {
        number(value).map { .real($0 + slack($0)) }
    }

    private func number(_ value: Value) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .real(let number): number
        default: nil
        }
    }

    /// By how much a stored number can differ from what is read from it, at most.
    private func slack(_ number: Double) -> Double {
        switch form {
        case .float: number.isFinite ? Double(Float(number).ulp) : 0
        // A date holds a second's number with 31 years more or less, and a microsecond's rounded.
        case .moment(.secondsSince1970), .moment(.secondsSince2001):
            4 * max(number.ulp, 1e-6)
        case .moment(.millisecondsSince1970): 1 + 4 * number.ulp
        default: 2 + 4 * number.ulp
        }
    }

    // MARK: Texts

    /// Where the texts of a decimal number are: with zeros at its end, or at its beginning.
    private static func decimalRanges(_ text: String) -> [(lowest: String, beyond: String)] {
        func zeros(_ sign: String) -> (lowest: String, beyond: String) {
            ("\(sign)00", "\(sign)0:")
        }
        let end = text.utf8.contains(UInt8(ascii: ".")) ? "1" : ".1"
        guard text != "0" else { return [("0", "0.1"), ("-0", "-0.1"), zeros(""), zeros("-")] }
        return [(text, text + end), zeros(text.hasPrefix("-") ? "-" : "")]
    }

    /// A URL's beginning, up to the first character that another one could stand for.
    private static func unescaped(_ url: String) -> String {
        let escape = url.utf8.firstIndex(of: UInt8(ascii: "%")) ?? url.endIndex
        var end = escape
        var place = url.startIndex
        while place < escape {
            if url[place...].utf8.prefix(4).elementsEqual("xn--".utf8) {
                end = place
                break
            }
            place = url.utf8.index(after: place)
        }
        return String(url[..<end])
    }
}

extension SQL {
    fileprivate static func list(_ values: [Value]) -> SQL { "\(list: values)" }
}
