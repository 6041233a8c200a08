internal import CSQLCipher

/// A function of a connection's SQL, written in Swift, as SQLite keeps it.
final class RegisteredFunction {
    /// Computes the result of one call, which is NULL if none is set.
    typealias Body = (borrowing FunctionCall) throws(LockstepError) -> Void

    /// The state of one group of rows of an aggregate.
    final class Group {
        /// Adds one row.
        let step: (borrowing FunctionCall) -> Void
        let result: (borrowing FunctionCall) -> Void

        init(step: @escaping (borrowing FunctionCall) -> Void, result: @escaping (borrowing FunctionCall) -> Void) {
            self.step = step
            self.result = result
        }
    }

    private let body: Body
    fileprivate let newGroup: (() -> Group)?
    private weak let core: ConnectionCore?

    fileprivate init(_ body: @escaping Body, _ newGroup: (() -> Group)?, _ core: ConnectionCore) {
        self.body = body
        self.newGroup = newGroup
        self.core = core
    }

    // MARK: Calls from SQLite

    fileprivate func call(_ call: borrowing FunctionCall) {
        do throws(LockstepError) {
            try body(call)
        } catch {
            // SQLite carries only the message.
            core?.functionFailure = error
            call.fail(error.message)
        }
    }

    fileprivate static func of(_ context: OpaquePointer?) -> RegisteredFunction? {
        unsafe sqlite3_user_data(context).map {
            unsafe Unmanaged<RegisteredFunction>.fromOpaque($0)._withUnsafeGuaranteedRef { $0 }
        }
    }

    /// The state of the current group. SQLite keeps a pointer to it, which is zero at first.
    fileprivate func group(_ context: OpaquePointer?) -> Group? {
        let size = unsafe Int32(MemoryLayout<UnsafeMutableRawPointer?>.size)
        guard let place = unsafe sqlite3_aggregate_context(context, size) else { return nil }
        let pointer = unsafe place.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
        if let kept = unsafe pointer.pointee {
            return unsafe Unmanaged<Group>.fromOpaque(kept).takeUnretainedValue()
        }
        let group = newGroup?()
        unsafe pointer.pointee = unsafe group.map { unsafe Unmanaged.passRetained($0).toOpaque() }
        return group
    }

    /// The state of the current group, which SQLite forgets; a new one if there was no row.
    fileprivate func takeGroup(_ context: OpaquePointer?) -> Group? {
        guard let place = unsafe sqlite3_aggregate_context(context, 0) else { return newGroup?() }
        let pointer = unsafe place.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
        defer { unsafe pointer.pointee = nil }
        return unsafe pointer.pointee.map {
            unsafe Unmanaged<Group>.fromOpaque($0).takeRetainedValue()
        } ?? newGroup?()
    }
}

extension Connection {
    /// Registers a function for this connection's SQL; it replaces one with the same name and number of arguments.
    /// - Parameters:
    ///   - count: The number of arguments; nil for any number.
    ///   - isDeterministic: Whether the same arguments always give the same result, without any effect. The file's
    ///     views, triggers, indexes and generated columns can call only such a function.
    func add(
        _ name: String, argumentCount count: Int?, isDeterministic: Bool = false,
        _ body: @escaping RegisteredFunction.Body
    ) throws(LockstepError) {
        try register(name, count, isDeterministic, RegisteredFunction(body, nil, core))
    }

    /// Registers an aggregate in the same way.
    func add(
        _ name: String, argumentCount count: Int?,
        aggregate: @escaping () -> RegisteredFunction.Group
    ) throws(LockstepError) {
        try register(name, count, false, RegisteredFunction({ _ in }, aggregate, core))
    }

    private func register(
        _ name: String, _ count: Int?, _ isDeterministic: Bool, _ function: RegisteredFunction
    ) throws(LockstepError) {
        // An untrusted schema must not reach a function with effects through views, triggers, indexes or
        // generated columns. SQLite does let a CHECK constraint call it.
        let rights = isDeterministic ? SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS : SQLITE_DIRECTONLY
        let context = unsafe Unmanaged.passRetained(function).toOpaque()
        // SQLite releases the function even if this fails.
        let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
            unsafe context.map { unsafe Unmanaged<RegisteredFunction>.fromOpaque($0).release() }
        }
        let code =
            if function.newGroup == nil {
                unsafe sqlite3_create_function_v2(
                    handle, name, Int32(clamping: count ?? -1), SQLITE_UTF8 | rights, context,
                    { context, count, values in
                        unsafe RegisteredFunction.of(context)?.call(FunctionCall(context, count, values))
                    }, nil, nil, release)
            } else {
                unsafe sqlite3_create_function_v2(
                    handle, name, Int32(clamping: count ?? -1), SQLITE_UTF8 | rights, context, nil,
                    { context, count, values in
                        unsafe RegisteredFunction.of(context)?.group(context)?.step(
                            FunctionCall(context, count, values))
                    },
                    { context in
                        unsafe RegisteredFunction.of(context)?.takeGroup(context)?.result(FunctionCall(context))
                    }, release)
            }
        guard code == SQLITE_OK else { throw core.error(code) }
    }
}
