import ArgumentParser

/// A time as `--timeout` accepts it: a whole number and a unit.
struct TimeLimit {
    /// The time as given.
    let text: String
    let duration: Duration

    private static let units: [String: Duration] = [  // exact: units of the source
        "ms": .milliseconds(1), "s": .seconds(1), "m": .seconds(60), "h": .seconds(3600),
    ]

    /// - Throws: `ValidationError` if the text is not a valid time, or is zero.
    init(_ text: String) throws {
        let digits = text.prefix { ("0"..."9").contains($0) }
        // Nine digits of hours do not overflow.
        guard let unit = Self.units[String(text.dropFirst(digits.count))],
            let number = Int(digits), digits.utf8.count <= 9, number > 0
        else {
            throw ValidationError(
                "expected a whole number, 1 or more, with ms, s, m or h, such as 30s or 5m")
        }
        self.text = text
        duration = unit * number
    }
}
