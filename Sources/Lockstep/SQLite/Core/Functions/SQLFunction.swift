internal import CSQLCipher

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
        case scalar(Body)
        case aggregate(@Sendable () -> Aggregation)
    }

    /// A function of one row's values.
    public init(
        _ name: String, argumentCount: Int?, isDeterministic: Bool = false, body: @escaping Body
    ) {
        self.name = name
        self.argumentCount = argumentCount
        self.isDeterministic = isDeterministic
        kind = .scalar(body)
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
            name, argumentCount,
            .aggregate {
                var state = initial()
                return Aggregation(
                    step: { arguments in try step(&state, arguments) },
                    result: { try result(state) })
            })
    }

    private init(_ name: String, _ argumentCount: Int?, _ kind: Kind) {
        self.name = name
        self.argumentCount = argumentCount
        isDeterministic = false
        self.kind = kind
    }
}

/// The state of one group of rows.
private final class Aggregation {
    let step: (borrowing FunctionArguments) throws -> Void
    let result: () throws -> Value
    var failure: (any Error)?

    init(
        step: @escaping (borrowing FunctionArguments) throws -> Void,
        result: @escaping () throws -> Value
    ) {
        self.step = step
        self.result = result
    }
}

extension Connection {
    /// Registers a function for this connection's SQL; it replaces one with the same name and number of
    /// arguments.
    /// - Throws: ``LockstepError/Code/denied`` for a name that is reserved for the engine.
    public func add(_ function: SQLFunction) throws(LockstepError) {
        guard !function.name.asciiLowercased.hasPrefix("lockstep_") else {
            throw LockstepError(
                .denied,
                "\(function.name) is refused: names that begin with lockstep_ are reserved for the "
                    + "engine",
                hint: "choose another name")
        }
        let context = unsafe Unmanaged.passRetained(FunctionBox(function)).toOpaque()
        let count = Int32(clamping: function.argumentCount ?? -1)
        // An untrusted schema must not reach a function with effects through views, triggers, indexes or
        // generated columns. SQLite does let a CHECK constraint call it.
        let flags =
            SQLITE_UTF8
            | (function.isDeterministic
                ? SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS : SQLITE_DIRECTONLY)
        let code: Int32
        switch function.kind {
        case .scalar:
            code = unsafe sqlite3_create_function_v2(
                handle, function.name, count, flags, context,
                { context, count, values in
                    guard let box = unsafe FunctionBox.of(context),
                        case .scalar(let body) = box.kind
                    else { return }
                    unsafe box.answer(context) {
                        try body(unsafe FunctionArguments(count, values, box.name))
                    }
                }, nil, nil, { unsafe FunctionBox.release($0) })
        case .aggregate:
            code = unsafe sqlite3_create_function_v2(
                handle, function.name, count, flags, context, nil,
                { context, count, values in
                    guard let box = unsafe FunctionBox.of(context),
                        let group = unsafe box.group(context, make: true), group.failure == nil
                    else { return }
                    do {
                        try group.step(unsafe FunctionArguments(count, values, box.name))
                    } catch {
                        group.failure = error
                    }
                },
                { context in
                    guard let box = unsafe FunctionBox.of(context) else { return }
                    unsafe box.answer(context) {
                        // No row: the initial state.
                        let group = unsafe box.group(context, make: false) ?? box.newGroup()
                        if let failure = group?.failure { throw failure }
                        return try group?.result() ?? .null
                    }
                    unsafe box.releaseGroup(context)
                }, { unsafe FunctionBox.release($0) })
        }
        guard code == SQLITE_OK else { throw core.error(code) }
    }
}

/// The context that SQLite keeps for a function.
private final class FunctionBox {
    let name: String
    let kind: SQLFunction.Kind

    init(_ function: SQLFunction) {
        name = function.name
        kind = function.kind
    }

    static func of(_ context: OpaquePointer?) -> FunctionBox? {
        unsafe sqlite3_user_data(context).map {
            unsafe Unmanaged<FunctionBox>.fromOpaque($0).takeUnretainedValue()
        }
    }

    static func release(_ context: UnsafeMutableRawPointer?) {
        unsafe context.map { unsafe Unmanaged<FunctionBox>.fromOpaque($0).release() }
    }

    /// Passes SQLite the result, or the error without any values that it can contain.
    func answer(_ context: OpaquePointer?, _ body: () throws -> Value) {
        do {
            unsafe SQLResult.set(try body(), on: context)
        } catch {
            let reason = (error as? LockstepError)?.message ?? "\(type(of: error))"
            unsafe sqlite3_result_error(context, "\(name) failed: \(reason)", -1)
        }
    }

    func newGroup() -> Aggregation? {
        if case .aggregate(let make) = kind { make() } else { nil }
    }

    /// The state of the current group. SQLite keeps a pointer to it, which is zero at first.
    func group(_ context: OpaquePointer?, make: Bool) -> Aggregation? {
        let size = unsafe Int32(MemoryLayout<UnsafeMutableRawPointer?>.size)
        guard let place = unsafe sqlite3_aggregate_context(context, make ? size : 0)
        else {
            return nil
        }
        let pointer = unsafe place.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
        if let kept = unsafe pointer.pointee {
            return unsafe Unmanaged<Aggregation>.fromOpaque(kept).takeUnretainedValue()
        }
        guard make, let group = newGroup() else { return nil }
        unsafe pointer.pointee = unsafe Unmanaged.passRetained(group).toOpaque()
        return group
    }

    func releaseGroup(_ context: OpaquePointer?) {
        guard let place = unsafe sqlite3_aggregate_context(context, 0) else { return }
        let pointer = unsafe place.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
        if let kept = unsafe pointer.pointee {
            unsafe Unmanaged<Aggregation>.fromOpaque(kept).release()
            unsafe pointer.pointee = nil
        }
    }
}

/// Passes SQLite a value as a function's result.
enum SQLResult {
    static func set(_ value: Value, on context: OpaquePointer?) {
        switch value {
        case .null: unsafe sqlite3_result_null(context)
        case .integer(let number): unsafe sqlite3_result_int64(context, number)
        case .real(let number): unsafe sqlite3_result_double(context, number)
        case .text(var text):
            text.withUTF8 { bytes in
                unsafe sqlite3_result_text64(
                    context,
                    UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self),
                    UInt64(bytes.count), transient, UInt8(SQLITE_UTF8))
            }
        case .blob(let bytes):
            guard !bytes.isEmpty else { return unsafe sqlite3_result_zeroblob(context, 0) }
            unsafe bytes.withUnsafeBytes {
                unsafe sqlite3_result_blob64(
                    context, $0.baseAddress, UInt64($0.count), transient)
            }
        }
    }
}
