/// A median with the least and the most value.
package struct Spread: Codable, Hashable, Sendable {
    package let median: Double
    package let least: Double
    package let most: Double

    /// Whether a value could belong to both.
    package func overlaps(_ other: Spread) -> Bool { least <= other.most && other.least <= most }

    /// Nil for no values.
    package init?(_ values: [Double]) {
        let sorted = values.sorted()
        guard let least = sorted.first, let most = sorted.last else { return nil }
        let middle = sorted.count / 2
        median = sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
        self.least = least
        self.most = most
    }

    /// How many times `other` this is: of the medians, and between adjacent runs.
    package static func ratio(_ one: [Double], to other: [Double]) -> RatioSpread? {
        guard let top = Spread(one), let bottom = Spread(other), bottom.least > 0 else {
            return nil
        }
        let pairs = Spread(zip(one, other).map { $0 / $1 })
        let ofMedians = top.median / bottom.median
        return RatioSpread(ofMedians: ofMedians, least: pairs?.least ?? ofMedians, most: pairs?.most ?? ofMedians)
    }
}

/// A ratio of two medians, and the least and most of adjacent runs.
package struct RatioSpread: Codable, Hashable, Sendable {
    package let ofMedians: Double
    package let least: Double
    package let most: Double

    package init(ofMedians: Double, least: Double, most: Double) {
        (self.ofMedians, self.least, self.most) = (ofMedians, least, most)
    }

    /// For people: the ratio of the medians, and the range of adjacent runs.
    package var text: String {
        "\(Figures.ratio(ofMedians)) (\(Figures.ratio(least))–\(Figures.ratio(most)))"
    }
}
