extension Duration {
    /// Whole microseconds; 0 for a negative duration, and at most about thirty thousand years.
    package var wholeMicroseconds: Int64 {
        let limit: Int64 = 1_000_000_000_000
        guard components.seconds < limit else { return limit * 1_000_000 }
        return max(components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000, 0)
    }
}
