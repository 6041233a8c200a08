/// One column of an order of rows: see ``RecordColumn/ascending``.
public struct Ordering<Root: Record>: Sendable {
    let column: Result<String, LockstepError>
    let isDescending: Bool
}
