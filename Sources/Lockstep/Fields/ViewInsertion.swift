/// `lockstep_inserted(row)`: tells a connection of the row that was inserted through one of its views.
///
/// SQLite takes back what it says of the last inserted row when a trigger ends, and a view is written through nothing
/// but triggers.
final class ViewInsertion: EngineFunction {
    private weak let core: ConnectionCore?

    init(_ core: ConnectionCore) { self.core = core }

    func call(_ call: borrowing EngineCall) throws(LockstepError) {
        core?.noteInsertedRow(call.integer(0))
    }
}
