/// An SQL function that performs one operation on a cell: `name(capability, value, key…)`.
final class CellFunction: EngineFunction {
    typealias Work =
        @Sendable (SealedColumnAccess, borrowing EngineCall) throws(LockstepError) -> Void

    /// The functions that make and open cells. Each call passes the connection's capability.
    static let all: [(String, CellFunction.Work)] = [
        ("lockstep_open", { column, call throws(LockstepError) in try column.open(call) }),
        (
            "lockstep_open_whole",
            { column, call throws(LockstepError) in try column.open(call, anyLength: true) }
        ),
        ("lockstep_seal", { column, call throws(LockstepError) in try column.seal(call) }),
        ("lockstep_check", { column, call throws(LockstepError) in try column.check(call) }),
        ("lockstep_reseal", { column, call throws(LockstepError) in try column.reseal(call) }),
        (
            "lockstep_token",
            { column, call throws(LockstepError) in try column.giveToken(call) }
        ),
        ("lockstep_same", { column, call throws(LockstepError) in try column.giveSame(call) }),
    ]

    /// The names of all functions that only this connection's own SQL can call.
    static let names = Set(all.map(\.0) + ["lockstep_inserted", "lockstep_begins"])

    private weak let session: SealedAttachment?
    private let work: Work

    init(_ session: SealedAttachment, _ work: @escaping Work) {
        self.session = session
        self.work = work
    }

    func call(_ call: borrowing EngineCall) throws(LockstepError) {
        guard let column = try session?.column(call) else { return }
        try work(column, call)
    }
}

/// `lockstep_begins(text, beginning)`: whether a text begins with another, ignoring case.
final class BeginsFunction: EngineFunction {
    func call(_ call: borrowing EngineCall) throws(LockstepError) {
        guard call.kind(0) == .text, call.kind(1) == .text else { return }
        let text = FoldedText.scalars(String(decoding: try call.bytes(0), as: UTF8.self))
        let beginning = FoldedText.scalars(String(decoding: try call.bytes(1), as: UTF8.self))
        call.give(text.starts(with: beginning))
    }
}
