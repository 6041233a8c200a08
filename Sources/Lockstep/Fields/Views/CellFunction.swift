/// The SQL functions that only this connection's own SQL can call.
enum CellFunction {
    typealias Work = @Sendable (SealedColumnAccess, borrowing FunctionCall) throws(LockstepError) -> Void

    /// The functions that make and open cells, `name(capability, value, key…)`. Each call passes the connection's
    /// capability.
    static let all: [(String, Work)] = [
        ("lockstep_open", { column, call throws(LockstepError) in try column.open(call) }),
        ("lockstep_open_whole", { column, call throws(LockstepError) in try column.open(call, anyLength: true) }),
        (
            // While a column is unsealed, whatever has the form of a cell is one.
            "lockstep_unseal",
            { column, call throws(LockstepError) in
                try column.open(call, anyLength: true, keepsLookalikes: true)
            }
        ),
        ("lockstep_seal", { column, call throws(LockstepError) in try column.seal(call) }),
        ("lockstep_check", { column, call throws(LockstepError) in try column.check(call) }),
        ("lockstep_reseal", { column, call throws(LockstepError) in try column.reseal(call) }),
        (
            "lockstep_token",
            { column, call throws(LockstepError) in try column.setToken(call) }
        ),
        ("lockstep_same", { column, call throws(LockstepError) in try column.setEquality(call) }),
        ("lockstep_compound", { column, call throws(LockstepError) in try column.setCompoundToken(call) }),
        ("lockstep_same_all", { column, call throws(LockstepError) in try column.setCompoundEquality(call) }),
    ]

    /// The names of all functions that only this connection's own SQL can call.
    static let names = Set((all.map(\.0) + ["lockstep_written", "lockstep_begins"]).map { SQLName($0) })

    /// Performs `work` on the column that a call names.
    static func body(
        _ session: SealedAttachment, _ work: @escaping Work
    ) -> RegisteredFunction.Body {
        { [weak session] call throws(LockstepError) in
            guard let column = try session?.column(call) else { return }
            try work(column, call)
        }
    }

    /// `lockstep_begins(text, beginning)`: whether a string begins with another, ignoring case.
    static func begins(_ call: borrowing FunctionCall) throws(LockstepError) {
        guard call.kind(0) == .text, call.kind(1) == .text else { return }
        let text = FoldedText.scalars(try call.text(0))
        let beginning = FoldedText.scalars(try call.text(1))
        call.setResult(text.starts(with: beginning))
    }

    /// `lockstep_written(capability, rows, row)`: reports to a connection how many rows one of its views has written,
    /// and the rowid of an inserted one, or NULL.
    static func written(
        _ core: ConnectionCore, _ capability: CellCapability
    ) -> RegisteredFunction.Body {
        { [weak core] call throws(LockstepError) in
            _ = try capability.column(call)
            let row = call.kind(2) == .null ? nil : call.integer(2)
            core?.viewWrites.note(Int(call.integer(1)), inserted: row)
        }
    }
}

extension SealedColumnAccess {
    /// - Parameter length: The length of the whole value, if `bytes` is only its beginning.
    func looksLikeCell(_ bytes: Span<UInt8>, length: Int? = nil) -> Bool {
        CellPrefix(bytes, length: length).map(cipher.isOurs) ?? false
    }
}
