internal import CSQLCipher

/// One of the engine's own SQL functions. It reads its arguments in SQLite's memory and returns its result
/// without an intermediate copy.
protocol EngineFunction: AnyObject {
    /// Computes the result of one call, which is NULL if none is set.
    func call(_ call: borrowing EngineCall) throws(LockstepError)
}

/// One call of an engine function.
@safe
struct EngineCall: ~Copyable {
    /// The number of arguments.
    let count: Int
    private let values: UnsafeMutablePointer<OpaquePointer?>?
    private let context: OpaquePointer?

    fileprivate init(
        _ context: OpaquePointer?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?
    ) {
        self.count = Int(count)
        unsafe self.values = unsafe values
        unsafe self.context = unsafe context
    }

    /// SQLite's storage classes.
    enum Kind {
        case null, integer, real, text, blob
    }

    // MARK: Arguments

    /// The storage class of an argument; NULL if there is no such argument.
    func kind(_ index: Int) -> Kind {
        guard let value = unsafe value(index) else { return .null }
        return switch unsafe sqlite3_value_type(value) {
        case SQLITE_INTEGER: .integer
        case SQLITE_FLOAT: .real
        case SQLITE_TEXT: .text
        case SQLITE_BLOB: .blob
        default: .null
        }
    }

    func integer(_ index: Int) -> Int64 { unsafe sqlite3_value_int64(value(index)) }

    func real(_ index: Int) -> Double { unsafe sqlite3_value_double(value(index)) }

    /// Passes the bytes of a TEXT or BLOB to `body`.
    func withBytes<Result>(
        _ index: Int, _ body: (Span<UInt8>) throws(LockstepError) -> Result
    ) throws(LockstepError) -> Result {
        let value = unsafe value(index)
        let start = unsafe sqlite3_value_blob(value)
        let bytes = unsafe UnsafeBufferPointer(
            start: start?.assumingMemoryBound(to: UInt8.self),
            count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
        return try unsafe body(bytes.span)
    }

    /// A copy of the bytes.
    func bytes(_ index: Int) throws(LockstepError) -> [UInt8] {
        try withBytes(index) { span throws(LockstepError) in
            unsafe span.withUnsafeBufferPointer { unsafe Array($0) }
        }
    }

    private func value(_ index: Int) -> OpaquePointer? {
        guard index < count else { return nil }
        return unsafe values?[index]
    }

    // MARK: Result

    func give(_ number: Int64) { unsafe sqlite3_result_int64(context, number) }

    func give(_ isTrue: Bool) { unsafe sqlite3_result_int(context, isTrue ? 1 : 0) }

    func give(_ number: Double) { unsafe sqlite3_result_double(context, number) }

    func give(text: Span<UInt8>) {
        unsafe text.withUnsafeBytes { bytes in
            let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            // An empty text is not NULL.
            guard let start = unsafe start else {
                return unsafe sqlite3_result_text64(context, "", 0, transient, UInt8(SQLITE_UTF8))
            }
            unsafe sqlite3_result_text64(
                context, start, UInt64(bytes.count), transient, UInt8(SQLITE_UTF8))
        }
    }

    func give(blob: Span<UInt8>) {
        unsafe blob.withUnsafeBytes { bytes in
            guard bytes.count > 0 else { return unsafe sqlite3_result_zeroblob(context, 0) }
            unsafe sqlite3_result_blob64(
                context, bytes.baseAddress, UInt64(bytes.count), transient)
        }
    }

    /// Returns the argument unchanged.
    func giveArgument(_ index: Int) {
        guard let value = unsafe value(index) else { return }
        unsafe sqlite3_result_value(context, value)
    }

    fileprivate func fail(_ error: LockstepError) {
        unsafe sqlite3_result_error(context, error.message, -1)
    }
}

extension Connection {
    /// Registers one of the engine's functions for this connection's SQL. An untrusted schema cannot reach it:
    /// the file's views, triggers and generated columns cannot call it.
    /// - Parameter count: The number of arguments; nil for any number.
    /// - Parameter count: How many arguments it takes; nil for any number.
    func add(
        _ name: String, argumentCount count: Int?, _ function: some EngineFunction
    ) throws(LockstepError) {
        let box = EngineFunctionBox(function, core)
        let context = unsafe Unmanaged.passRetained(box).toOpaque()
        let code = unsafe sqlite3_create_function_v2(
            handle, name, Int32(clamping: count ?? -1), SQLITE_UTF8 | SQLITE_DIRECTONLY, context,
            { context, count, values in
                guard
                    let box = unsafe sqlite3_user_data(context).map({
                        unsafe Unmanaged<EngineFunctionBox>.fromOpaque($0)._withUnsafeGuaranteedRef
                        { $0 }
                    })
                else { return }
                let call = unsafe EngineCall(context, count, values)
                do throws(LockstepError) {
                    try box.function.call(call)
                } catch {
                    // SQLite carries only the message.
                    box.core?.functionFailure = error
                    call.fail(error)
                }
            }, nil, nil,
            { context in
                unsafe context.map {
                    unsafe Unmanaged<EngineFunctionBox>.fromOpaque($0).release()
                }
            })
        guard code == SQLITE_OK else { throw core.error(code) }
    }
}

/// The context that SQLite keeps for a function.
private final class EngineFunctionBox {
    let function: any EngineFunction
    weak let core: ConnectionCore?

    init(_ function: any EngineFunction, _ core: ConnectionCore) {
        self.function = function
        self.core = core
    }
}

extension Affinity {
    /// Whether a value of this kind is always stored unchanged.
    func keeps(_ kind: EngineCall.Kind) -> Bool {
        switch (self, kind) {
        case (_, .blob), (.blob, _), (.text, .text), (.integer, .integer), (.numeric, .integer):
            true
        default: false
        }
    }
}
