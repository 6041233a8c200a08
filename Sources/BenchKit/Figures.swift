import Lockstep

/// Formats numbers for people.
package enum Figures {
    /// Nanoseconds as microseconds, with a meaningful number of decimals.
    package static func microseconds(_ nanoseconds: Double) -> String {
        decimal(nanoseconds / 1000, nanoseconds < 100_000 ? 2 : nanoseconds < 1_000_000 ? 1 : 0)
    }

    /// Nanoseconds, without decimals: no clock is that precise.
    package static func nanoseconds(_ nanoseconds: Double) -> String { decimal(nanoseconds, 0) }

    /// With two decimals.
    package static func ratio(_ value: Double) -> String { decimal(value, 2) }

    /// With thousands separators.
    package static func count(_ value: Int) -> String {
        let digits = Array(String(value))
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return text
    }

    /// Rounded to this many decimals.
    package static func decimal(_ value: Double, _ decimals: Int) -> String {
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        let scaled = (value.magnitude * scale).rounded()
        // Too large for any table.
        guard scaled < 1e15 else { return "\(value)" }
        let whole = Int(scaled)
        let sign = value < 0 && whole > 0 ? "-" : ""
        guard decimals > 0 else { return "\(sign)\(whole)" }
        return "\(sign)\(whole / Int(scale)).\((whole % Int(scale)).padded(to: decimals))"
    }
}
