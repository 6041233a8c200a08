/// `lockstep_inserted(capability, row)`: reports to a connection which row was inserted through one of its views.
///
/// When a trigger ends, SQLite resets the last inserted row, and writes to a view run only in triggers.
final class ViewInsertion: EngineFunction {
    private weak let core: ConnectionCore?
    private let capability: CellCapability

    init(_ core: ConnectionCore, _ capability: CellCapability) {
        self.core = core
        self.capability = capability
    }

    func call(_ call: borrowing EngineCall) throws(LockstepError) {
        _ = try capability.column(call)
        core?.noteInsertedRow(call.integer(1))
    }
}
