internal import Synchronization

/// Faults of cells, collected from several threads.
final class CollectedFaults: Sendable {
    private struct Kind: Hashable {
        @Exact private(set) var table: String
        @Exact private(set) var column: String
        let fault: SealedColumnAccess.Fault
    }

    private struct Found {
        var cells = 0
        var faults: [Kind: (count: Int, rows: [Int64])] = [:]
    }

    private let limit: Int
    private let found = Mutex(Found())

    /// - Parameter limit: How many rows of each kind are kept.
    init(limit: Int) { self.limit = limit }

    func count(_ cells: Int) { found.withLock { $0.cells += cells } }

    func add(_ fault: SealedColumnAccess.Fault, of column: SealedColumn, in row: Int64?) {
        found.withLock { found in
            let kind = Kind(table: column.table, column: column.name, fault: fault)
            var known = found.faults[kind] ?? (0, [])
            known.count += 1
            if let row { known.rows.append(row) }
            // Pieces arrive in any order, and the first rows are reported.
            if known.rows.count > 10 * limit {
                known.rows = Array(known.rows.sorted().prefix(limit))
            }
            found.faults[kind] = known
        }
    }

    var result: (cells: Int, findings: [VerificationReport.Finding]) {
        found.withLock { found in
            let findings = found.faults.sorted {
                ($0.key.table, $0.key.column, $0.key.fault.rawValue)
                    < ($1.key.table, $1.key.column, $1.key.fault.rawValue)
            }.map { kind, known in
                let rows = known.rows.sorted().prefix(limit).map(String.init).joined(separator: ", ")
                let more = known.count > limit ? ", …" : ""
                return VerificationReport.Finding.failure(
                    "\(counted(known.count, "cell")) of \(kind.table).\(kind.column) \(kind.fault.message)"
                        + (rows.isEmpty ? "" : ": row \(rows)\(more)"))
            }
            return (found.cells, findings)
        }
    }
}

extension SealedColumnAccess.Fault {
    fileprivate var message: String {
        switch self {
        case .notAuthentic: "not authentic: forged, or moved from elsewhere"
        case .noCell: "not sealed: written without the engine"
        case .keyUnavailable: "under a key that the keyring does not have"
        case .otherBinding:
            "of another binding version than the column's: moved from elsewhere, or an older one put back"
        case .wrongToken: "with a blind index of another value"
        }
    }
}
