/// Reports what a blind index reveals, and refuses one that reveals too much.
///
/// The tokens of a column show which rows might be equal. Short tokens also coincide for different values: equal tokens
/// then do not prove equal values, but a look-up finds extra rows, which are opened and excluded. The bounds are those
/// of CipherSweet (Paragon Initiative Enterprises, *Security Properties and Threat Model for CipherSweet*, section
/// *Blind Index Information Leaks*): with `R` rows, and for each of the column's indexes a token of `L` bits over
/// `2^K` different values, a value's tokens coincide with those of
///
///     C = R ÷ 2^(the sum of min(L, K) over the column's indexes)
///
/// rows, and the goal is `2 ≤ C < √R`. Below 2, equal tokens prove equal values; from √R on, an index finds so many
/// rows that it is hardly worth having. About `R ÷ 2^L` of these rows have another value than the one looked up.
///
/// If the column has so few different values that C is not below √R for any length of token, as with booleans and
/// small sets of names, the tokens are a histogram: the frequency of each token reveals its value. The planner refuses
/// such an index; one index over this column and another together can pass. The bounds are averages: a value that is
/// much more frequent than others stands out in any index.
package struct BlindIndexPlanner: Sendable {
    /// One of the values of an index.
    package struct Part: Sendable {
        let type: CellTag
        let normaliser: Normaliser

        /// A value of this type with this normaliser.
        package init(_ type: CellTag, _ normaliser: Normaliser) {
            (self.type, self.normaliser) = (type, normaliser)
        }
    }

    /// Another index of the column, which is planned together with this one.
    package struct Other: Sendable {
        let bits: Int
        let distinct: Int?

        /// An index with tokens of this many bits, over this many different values if known.
        package init(bits: Int, distinct: Int? = nil) {
            (self.bits, self.distinct) = (bits, distinct)
        }
    }

    /// The expected properties of an index with tokens of some length.
    package struct Advice: Sendable, Equatable {
        /// Where C lies relative to the bounds.
        package enum Verdict: String, Sendable {
            /// C is within the bounds.
            case balanced
            /// C is below 2: anyone who sees the tokens knows which rows are equal. For UNIQUE this is intended.
            case revealing
            /// C is √R or more: a look-up opens many false positives.
            case coarse
        }

        /// C: the number of rows with a value's token, given the column's other indexes.
        package let coincidences: Double
        /// The number of rows with another value that a look-up finds.
        package let falsePositives: Double
        /// Where C lies relative to the bounds.
        package let verdict: Verdict
    }

    /// Fewer rows than this are faster to read than to look up, and fit no bounds.
    package static let fewestRows = 8

    private let counts: Counts

    /// Plans an index.
    /// - Parameters:
    ///   - parts: The values of the index: more than one if it covers several columns.
    ///   - rows: The expected number of rows in the table.
    ///   - distinct: The number of different entries among them, if known: of normalised values, or of their
    ///     combinations if the index has several.
    /// - Throws: ``LockstepError/Code/misuse`` for a histogram, and for invalid parameters.
    package init(_ parts: [Part], rows: Int, distinct: Int? = nil) throws(LockstepError) {
        for part in parts where !part.normaliser.accepts(part.type) {
            throw LockstepError(
                .misuse, "the normaliser \(part.normaliser) does not accept values of the type \(part.type)")
        }
        guard !parts.isEmpty, rows >= Self.fewestRows, (1...rows).contains(distinct ?? 1) else {
            throw LockstepError(
                .misuse,
                "a planned index needs at least \(Self.fewestRows) rows, and at most as many different values as rows",
                hint: "pass the number of rows that the table will have")
        }
        let known = distinct.map(Double.init) ?? parts.reduce(1) { $0 * $1.maximumDistinct }
        counts = Counts(rows: Double(rows), distinct: known)
        guard known > counts.root else {
            throw LockstepError(
                .misuse,
                "an index over \(Int(known)) different values in \(rows) rows reveals how often each "
                    + "occurs, and thus its value",
                hint: parts.count == 1
                    ? "index the column together with another one, or do not index it"
                    : "index it together with a column that has more different values, or do not index it")
        }
    }

    /// The expected properties of tokens of this many bits, beside the column's other indexes.
    package func advice(_ bits: Int, beside others: [Other] = []) -> Advice {
        let coincidences = counts.coincidences(bits, beside: others)
        return Advice(
            coincidences: coincidences, falsePositives: counts.rows / Counts.power(bits),
            verdict: coincidences < 2 ? .revealing : coincidences < counts.root ? .balanced : .coarse)
    }
}

/// The inputs of the formula.
private struct Counts: Sendable {
    let rows: Double
    /// The number of different values; infinite if unknown.
    let distinct: Double

    /// √R.
    var root: Double { rows.squareRoot() }

    /// C.
    func coincidences(_ bits: Int, beside others: [BlindIndexPlanner.Other]) -> Double {
        rows / others.reduce(min(Self.power(bits), distinct)) { $0 * $1.distinguished }
    }

    /// 2^bits.
    static func power(_ bits: Int) -> Double { Double(sign: .plus, exponent: bits, significand: 1) }
}

extension BlindIndexPlanner.Part {
    /// The maximum number of different values, if known in advance.
    fileprivate var maximumDistinct: Double {
        switch normaliser {
        // Letters and digits: scripts with more characters use few of them at the beginning.
        case .prefix(let length): (0..<length).reduce(1) { count, _ in count * 36 }
        default: .infinity
        }
    }
}

extension BlindIndexPlanner.Other {
    /// 2^min(L, K).
    fileprivate var distinguished: Double {
        min(Counts.power(bits), distinct.map(Double.init) ?? .infinity)
    }
}
