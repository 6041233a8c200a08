/// Where the texts are that are read as one moment, whatever their notation.
struct DateBorders {
    /// The seconds around the moment, as text: it is read from texts within a microsecond, and of far years within some
    /// more.
    private let first: String
    private let last: String
    /// The moment's day, if it is the day's beginning: that is read from the day alone, too.
    let midnight: String?

    /// The borders of a moment in the form that is written.
    init?(_ text: String) {
        guard let moment = DateText(text.utf8Span.span) else { return nil }
        let time = moment.secondsSince2001
        let slack = 1e-6 + 4 * time.ulp
        func second(_ time: Double) -> String {
            String((DateText(secondsSince2001: time)?.description ?? text).prefix(19))
        }
        (first, last) = (second(time - slack), second(time + slack))
        midnight = text.dropFirst(11).hasPrefix("00:00:00.000000") ? String(text.prefix(10)) : nil
    }

    /// Texts from this one, and before the second.
    var ranges: [(lowest: String, beyond: String)] { ranges(spaced: false) + ranges(spaced: true) }

    private func ranges(spaced: Bool) -> [(lowest: String, beyond: String)] {
        let (from, before) = (spaced ? Self.spaced(first) : first, (spaced ? Self.spaced(last) : last) + "~")
        guard first.prefix(10) != last.prefix(10) else { return [(from, before)] }
        let separator = spaced ? " " : "T"
        return [
            (from, first.prefix(10) + separator + "24"),
            (last.prefix(10) + separator, before),
        ]
    }

    /// Texts of the moment's days that have no T, and of its seconds, of which some may be in another form.
    var near: [(lowest: String, beyond: String, isOther: Bool)] {
        let days = Set([first, last].map { String($0.prefix(10)) }).sorted()
        return days.map { ($0, $0 + "!", true) } + ranges(spaced: false).map { ($0.lowest, $0.beyond, false) }
    }

    private static func spaced(_ second: String) -> String {
        second.prefix(10) + " " + second.dropFirst(11)
    }

    /// The first text with a T that can be the moment or later.
    var start: String { first }
    /// The first text of all that can be, and the end of those of its day that have a space. The first moment of the
    /// year 0 has no second before it.
    var otherStart: String {
        midnight.map { min($0, Self.spaced(first)) } ?? Self.spaced(first)
    }
    var otherEnd: String { first.prefix(10) + "!" }
    /// What comes after all texts that can be the moment or earlier.
    var end: String { last + "~" }
}
