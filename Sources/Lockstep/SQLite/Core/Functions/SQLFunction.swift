/// A function that SQL can call, written in Swift.
///
/// Pass it in ``ConnectionOptions/functions``, so that every connection of a store has it. A call costs about
/// 0.3 µs, and as much again per text.
public struct SQLFunction: Sendable {
    /// Computes the result of one call.
    public typealias Body = @Sendable (borrowing FunctionArguments) throws -> Value

    /// Its name in SQL; case does not matter.
    public let name: String
    /// The number of arguments; nil for any number.
    public let argumentCount: Int?
    /// Whether the same arguments always give the same result. An index or a generated column can use only such
    /// a function.
    public let isDeterministic: Bool
    fileprivate let kind: Kind

    fileprivate enum Kind: Sendable {
        case scalar(@Sendable (borrowing FunctionCall) -> Void)
        case aggregate(@Sendable () -> RegisteredFunction.Group)
    }

    /// A function of one row's values.
    public init(_ name: String, argumentCount: Int?, isDeterministic: Bool = false, body: @escaping Body) {
        self.init(
            name, argumentCount, isDeterministic,
            .scalar { call in call.setResult(of: name) { try body(FunctionArguments(call, name)) } })
    }

    /// A function of a group of rows, as `sum` is.
    /// - Parameters:
    ///   - name: Its name in SQL.
    ///   - argumentCount: The number of arguments; nil for any number.
    ///   - initial: The state before the first row.
    ///   - step: Adds one row's arguments to the state.
    ///   - result: Computes the result, for an empty group too.
    public static func aggregate<State>(
        _ name: String, argumentCount: Int?, initial: @escaping @Sendable () -> State,
        step: @escaping @Sendable (inout State, borrowing FunctionArguments) throws -> Void,
        result: @escaping @Sendable (State) throws -> Value
    ) -> SQLFunction {
        SQLFunction(
            name, argumentCount, false,
            .aggregate {
                var state = initial()
                var failure: (any Error)?
                return RegisteredFunction.Group(
                    step: { call in
                        guard failure == nil else { return }
                        do {
                            try step(&state, FunctionArguments(call, name))
                        } catch {
                            failure = error
                        }
                    },
                    result: { call in
                        call.setResult(of: name) {
                            if let failure { throw failure }
                            return try result(state)
                        }
                    })
            })
    }

    private init(_ name: String, _ count: Int?, _ isDeterministic: Bool, _ kind: Kind) {
        self.name = name
        argumentCount = count
        self.isDeterministic = isDeterministic
        self.kind = kind
    }
}

extension Connection {
    /// Registers a function for this connection's SQL; it replaces one with the same name and number of
    /// arguments.
    /// - Throws: ``LockstepError/Code/denied`` for a name that is reserved for the engine.
    public func add(_ function: SQLFunction) throws(LockstepError) {
        guard !SQLName(function.name).hasPrefix("lockstep_") else {
            throw LockstepError(
                .denied,
                "\(function.name) is refused: names that begin with lockstep_ are reserved for the "
                    + "engine",
                hint: "choose another name")
        }
        switch function.kind {
        case .scalar(let body):
            try add(
                function.name, argumentCount: function.argumentCount, isDeterministic: function.isDeterministic, body)
        case .aggregate(let group):
            try add(function.name, argumentCount: function.argumentCount, aggregate: group)
        }
    }
}

extension FunctionCall {
    /// Returns the value, or the error without any values that it can contain.
    fileprivate func setResult(of name: String, _ body: () throws -> Value) {
        do {
            setResult(try body())
        } catch {
            let reason = (error as? LockstepError)?.message ?? "\(type(of: error))"
            fail("\(name) failed: \(reason)")
        }
    }
}
