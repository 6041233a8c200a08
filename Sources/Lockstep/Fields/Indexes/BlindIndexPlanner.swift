/// Says whether a blind index gives away too much, and how many bits its tokens should have.
///
/// The tokens of a column show which rows may be equal. Short ones coincide for different values too: nobody can
/// conclude from equal tokens that values are equal, while a look-up finds more rows than were looked for, which
/// are opened and left out. The bounds are those of CipherSweet (Paragon Initiative Enterprises, *Security
/// Properties and Threat Model for CipherSweet*, section *Blind Index Information Leaks*): with `R` rows, and for
/// each of the column's indexes a token of `L` bits over values of which there are `2^K` different ones, a value's
/// tokens coincide with those of
///
///     C = R ÷ 2^(the sum of min(L, K) over the column's indexes)
///
/// rows, and `2 ≤ C < √R` is what to aim for. Below 2, equal tokens prove equal values; from √R on, an index finds
/// so much that it is hardly worth having. Of those rows, about `R ÷ 2^L` hold another value than the one that
/// was looked for.
///
/// Where the values themselves are so few that C is not below √R however long the tokens are, as with booleans and
/// small sets of names, the tokens are a histogram: how often each occurs tells which is which. Such an index is
/// refused; together with another column's values, in one index over both, they may pass. Bounds are about
/// averages: a value much more frequent than others stands out in any index.
package struct BlindIndexPlanner: Sendable {
    /// One of the values that an index is of.
    package struct Part: Sendable {
        let type: CellTag
        let normaliser: Normaliser

        /// A value of this type, under this normaliser.
        package init(_ type: CellTag, _ normaliser: Normaliser) {
            (self.type, self.normaliser) = (type, normaliser)
        }
    }

    /// An index that the column has already, or another one that is planned with it.
    package struct Other: Sendable {
        let bits: Int
        let distinct: Int?

        /// One with tokens of so many bits, over so many different values if that is known.
        package init(bits: Int, distinct: Int? = nil) {
            (self.bits, self.distinct) = (bits, distinct)
        }
    }

    /// What is to be expected of an index with tokens of some length.
    package struct Advice: Sendable, Equatable {
        /// How it lies within the bounds.
        package enum Verdict: String, Sendable {
            /// Between both.
            case balanced
            /// C is below 2: whoever sees the tokens can tell which rows are equal. For UNIQUE that is meant to be.
            case revealing
            /// C is √R or more: a look-up opens many rows for nothing.
            case coarse
        }

        /// How long its tokens are.
        package let bits: Int
        /// C: how many rows have a value's token, with the column's other indexes taken into account.
        package let coincidences: Double
        /// How many rows a look-up finds that hold another value.
        package let falsePositives: Double
        /// How it lies within the bounds.
        package let verdict: Verdict
    }

    /// Fewer rows than that are read faster than looked up, and fit no bounds.
    package static let fewestRows = 8
    /// How many rows a look-up may find for nothing, where nobody says.
    package static let defaultCoincidences = 4.0

    private let counts: Counts
    /// The least and the most bits that lie within the bounds; at most K, beyond which the formula sees no difference:
    /// more bits find fewer rows for nothing, and set the values apart that had a token in common by chance.
    package let bounds: ClosedRange<Int>

    /// Plans an index.
    /// - Parameters:
    ///   - parts: The values that it is of: more than one, where it is over several columns.
    ///   - rows: How many rows the table is to have.
    ///   - distinct: How many different entries there are among them, if known: of values after normalisation, and
    ///     of their combinations where it is of several.
    ///   - others: The column's other indexes.
    /// - Throws: ``LockstepError/Code/misuse`` for an index that gives away too much, and for one that cannot be.
    package init(
        _ parts: [Part], rows: Int, distinct: Int? = nil, others: [Other] = []
    ) throws(LockstepError) {
        for part in parts where !part.normaliser.accepts(part.type) {
            throw LockstepError(
                .misuse,
                "the normaliser \(part.normaliser) is not for values of the type \(part.type)")
        }
        guard !parts.isEmpty, rows >= Self.fewestRows, (1...rows).contains(distinct ?? 1),
            others.allSatisfy({ BlindIndex.isWidth($0.bits) && $0.distinct ?? 1 > 0 })
        else {
            throw LockstepError(
                .misuse,
                "an index is planned for \(Self.fewestRows) rows or more, and no more different values than rows",
                hint: "give the number of rows that the table is going to have")
        }
        let known = distinct.map(Double.init) ?? parts.reduce(1) { $0 * $1.maximumDistinct }
        let counts = Counts(
            rows: Double(rows), distinct: known,
            told: others.reduce(1) { $0 * $1.told })
        guard known > counts.root else {
            throw LockstepError(
                .misuse,
                "an index over \(Int(known)) different values in \(rows) rows shows how often each occurs, and so which is which",
                hint: parts.count == 1
                    ? "index the column together with another one, or not at all"
                    : "index it together with a column of more different values, or not at all")
        }
        let fitting = (1...63).filter {
            (2..<counts.root).contains(counts.coincidences($0))
                && ($0 == 1 || Counts.power($0 - 1) < known)
        }
        guard let minimum = fitting.first, let maximum = fitting.last else {
            throw LockstepError(
                .misuse,
                "the column's other indexes tell its values apart already; with one more, equal rows are known to be equal",
                hint: "leave this index away, or make the others shorter")
        }
        self.counts = counts
        bounds = minimum...maximum
    }

    /// The bits, within the bounds, with which a look-up finds about so many rows that hold another value.
    package func recommendedBits(for wanted: Double = defaultCoincidences) -> Int {
        let bits = Logarithm.base2(counts.rows / (wanted > 1 ? wanted : 1)).rounded()
        return Int(min(max(bits, Double(bounds.lowerBound)), Double(bounds.upperBound)))
    }

    /// What is to be expected with tokens of so many bits.
    /// - Throws: ``LockstepError/Code/misuse`` for a number of bits that tokens cannot have, and for one that is for
    ///   UNIQUE where values are known to repeat.
    package func advice(_ bits: Int) throws(LockstepError) -> Advice {
        guard BlindIndex.isWidth(bits) else {
            throw LockstepError(
                .misuse, "a blind index has 1 to 63, 128 or 256 bits, not \(bits)")
        }
        guard !BlindIndex.isForUnique(bits) || counts.distinct >= counts.rows else {
            throw LockstepError(
                .misuse,
                "tokens of \(bits) bits are for UNIQUE, and there are fewer different values than rows",
                hint: "\(recommendedBits()) bits find about as well, and show less")
        }
        let coincidences = counts.coincidences(bits)
        return Advice(
            bits: bits, coincidences: coincidences,
            falsePositives: counts.rows / Counts.power(bits),
            verdict: coincidences < 2
                ? .revealing : coincidences < counts.root ? .balanced : .coarse)
    }
}

/// What the formula is computed from.
private struct Counts: Sendable {
    let rows: Double
    /// How many different values there are; infinite where nobody knows.
    let distinct: Double
    /// 2^(the sum of min(L, K)) of the column's other indexes.
    let told: Double

    /// √R.
    var root: Double { rows.squareRoot() }

    /// C.
    func coincidences(_ bits: Int) -> Double { rows / (told * min(Self.power(bits), distinct)) }

    /// 2^bits.
    static func power(_ bits: Int) -> Double { Double(sign: .plus, exponent: bits, significand: 1) }
}

extension BlindIndexPlanner.Part {
    /// How many different values there are at most, where that is known beforehand.
    fileprivate var maximumDistinct: Double {
        switch (type, normaliser) {
        case (.bool, _): 2
        // Letters and digits: scripts with more characters than that use few of them to begin with.
        case (_, .prefix(let length)): (0..<length).reduce(1) { count, _ in count * 36 }
        default: .infinity
        }
    }
}

extension BlindIndexPlanner.Other {
    /// 2^min(L, K).
    fileprivate var told: Double {
        min(Counts.power(bits), distinct.map(Double.init) ?? .infinity)
    }
}
