import ArgumentParser

/// A time as `--timeout` takes it: a whole number and its unit.
struct TimeLimit {
    /// As it was given.
    let text: String
    let duration: Duration

    private static let units: [String: Duration] = [
        "ms": .milliseconds(1), "s": .seconds(1), "m": .seconds(60), "h": .seconds(3600),
    ]

    /// - Throws: `ValidationError` for what is no such time, or none at all.
    init(_ text: String) throws {
        let digits = text.prefix { ("0"..."9").contains($0) }
        // Nine digits of hours are no overflow.
        guard let unit = Self.units[String(text.dropFirst(digits.count))],
            let number = Int(digits), digits.utf8.count <= 9, number > 0
        else {
            throw ValidationError(
                "a time is a whole number from 1 on with ms, s, m or h, such as 30s or 5m")
        }
        self.text = text
        duration = unit * number
    }
}
