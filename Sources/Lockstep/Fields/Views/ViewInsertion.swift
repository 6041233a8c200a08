/// `lockstep_inserted(capability, row)`: reports to a connection which row was inserted through one of its views.
///
/// SQLite takes back what it says of the last inserted row when a trigger ends, and a view is written through nothing
/// but triggers.
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
