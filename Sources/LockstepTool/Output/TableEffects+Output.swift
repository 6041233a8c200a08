import Lockstep

extension TableEffects {
    /// The effects for programs. Fields are only ever added.
    var json: JSONObject {
        [
            "table": table, "standing": standing,
            "effects": effects.map { effect in
                [
                    "kind": effect.kind.rawValue, "column": effect.column, "count": effect.count,
                    "declared": effect.isDeclared, "keys": effect.keys,
                ] as JSONObject
            },
        ]
    }
}
