import Lockstep

extension LockstepError {
    /// The error for programs. Fields are only ever added.
    var json: JSONObject {
        ["code": code.rawValue, "message": message, "hint": advice?.typed, "context": context.json]
    }
}

extension LockstepError.Context {
    /// The subject of the error, for programs; nil if nothing is known.
    var json: JSONObject? {
        guard !isEmpty else { return nil }
        return [
            "file": file, "line": line, "set": set, "version": version, "table": table,
            "column": column, "sqliteCode": sqliteCodeName, "sqlState": sqlState,
        ]
    }
}
