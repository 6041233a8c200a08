internal import Lockstep

extension ServerFields {
    /// Numbers from the sequence of a table's key, for rows to come.
    func numbers(
        _ count: Int, of table: ServerTable, _ connection: borrowing ServerConnection
    ) throws -> [Value] {
        guard case .row(let column) = table.shape.key,
            let sequence = table.detail(column.name)?.sequence
        else { return [] }
        let known = reserved[table.oid]?.count ?? 0
        if known < count {
            let wanted = max(Self.reservation, count - known)
            let numbers = try connection.query(
                """
                SELECT pg_catalog.nextval(\(sequence)::regclass)
                FROM pg_catalog.generate_series(1, \(wanted)::int8)
                """
            ) { try $0[0] as Int64 }
            guard numbers.count == wanted else {
                throw LockstepError(.sqlFailed, "the sequence \(sequence) gave no number")
            }
            reserved[table.oid, default: []] += numbers
        }
        let numbers = (reserved[table.oid] ?? []).prefix(count)
        reserved[table.oid]?.removeFirst(numbers.count)
        return numbers.map(Value.integer)
    }

    private static let reservation = 64
}
