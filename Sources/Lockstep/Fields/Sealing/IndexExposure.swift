/// The information that a blind index over a column's current values reveals to anyone who can open the database.
///
/// If there are few distinct values, equal tokens are a histogram: the frequency of each reveals its value. Such an
/// index is refused unless the request allows it.
struct IndexExposure {
    let request: SealedIndex.Request
    /// The number of distinct values; nil if there are too many to matter, or none.
    var distinct: Int?
    /// Nil for a table with too few rows, and for a histogram that the request allows.
    var planner: BlindIndexPlanner?

    /// Reads values until enough distinct ones are found: some thousand of a million rows.
    /// - Throws: ``LockstepError/Code/misuse`` for a histogram that the request does not allow.
    static func of(
        _ request: SealedIndex.Request, _ column: String, _ shape: SealedTable, _ connection: borrowing Connection
    ) throws -> IndexExposure {
        let name = SQLTokens.quote(column)
        let source = "FROM main.\(shape.quotedName) WHERE \(name) IS NOT NULL"
        let rows = try connection.value(SQL(verbatim: "SELECT count(*) \(source)"), as: Int.self) ?? 0
        guard rows >= BlindIndexPlanner.fewestRows else {
            return IndexExposure(request: request)
        }
        let values = try Values(of: request, rows, try connection.prepare(SQL(verbatim: "SELECT \(name) \(source)")))
        var exposure = IndexExposure(request: request, distinct: values.distinct)
        guard let type = values.type else { return exposure }
        do throws(LockstepError) {
            exposure.planner = try BlindIndexPlanner(
                [.init(type, request.normaliser)], rows: rows, distinct: values.distinct)
        } catch {
            guard !request.mayBeHistogram else { return exposure }
            throw LockstepError(
                .misuse,
                "the index \(request.normaliser.spelling) of \(shape.name).\(column) would reveal "
                    + "its values: \(error.message)",
                hint:
                    "omit the index, or use longer prefixes or narrower buckets; if everyone who opens the database "
                    + "may know how often each value occurs, set histogram=accepted"
            )
        }
        return exposure
    }

    /// A summary for plans.
    /// - Parameter exposures: Those of all indexes of the column, which together distinguish more values than one does.
    func summary(_ title: String, among exposures: [IndexExposure]) -> String? {
        let others = exposures.filter { $0.request != request }.map {
            BlindIndexPlanner.Other(bits: $0.request.bits, distinct: $0.distinct)
        }
        guard let advice = planner?.advice(request.bits, beside: others) else { return nil }
        let what = "the index \(request.normaliser.spelling) of \(title) with \(request.bits) bits"
        return switch advice.verdict {
        case .balanced:
            "\(what): about \(Int(advice.coincidences.rounded())) rows have a token in common, "
                + "so equal tokens prove nothing"
        case .revealing:
            "\(what): equal tokens prove equal values to anyone who can open the database"
        case .coarse:
            "\(what): a look-up opens about \(Int(advice.falsePositives.rounded())) rows for nothing"
        }
    }

    /// The distinct values as the index sees them.
    private struct Values {
        /// Their number; nil if there are too many to matter, or none.
        private(set) var distinct: Int?
        /// The type of the first value; nil if no value has an entry.
        private(set) var type: CellTag?

        init(
            of request: SealedIndex.Request, _ rows: Int, _ column: borrowing Statement
        ) throws {
            let enough = Int(Double(rows).squareRoot()) + 1
            let index = try BlindIndex(column: 1, number: 1, [request.normaliser], bits: request.bits, keyVersion: 1)
            var seen: Set<[UInt8]> = []
            var first: CellTag?
            struct Enough: Error {}
            do {
                try column.forEach { row in
                    let value = try row[0] as Value
                    guard request.normaliser.accepts(value.tag),
                        let message = try index.message([value])
                    else { return }
                    first = first ?? value.tag
                    seen.insert(message)
                    if seen.count > enough { throw Enough() }
                }
                distinct = seen.count
            } catch is Enough {}
            type = first
        }
    }
}
