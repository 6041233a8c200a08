internal import CSQLCipher

/// One call of a function, which reads its arguments in SQLite's memory and returns its result without an
/// intermediate copy.
@safe
struct FunctionCall: ~Copyable {
    /// The number of arguments.
    let count: Int
    private let values: UnsafeMutablePointer<OpaquePointer?>?
    private let context: OpaquePointer?

    init(_ context: OpaquePointer?, _ count: Int32 = 0, _ values: UnsafeMutablePointer<OpaquePointer?>? = nil) {
        self.count = Int(count)
        unsafe self.values = unsafe values
        unsafe self.context = unsafe context
    }

    func copy() -> FunctionCall { unsafe FunctionCall(context, Int32(clamping: count), values) }

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

    /// Passes the bytes of a TEXT, in UTF-8 whatever the file's encoding is, or of a BLOB to `body`.
    func withBytes<Result>(
        _ index: Int, _ body: (Span<UInt8>) throws(LockstepError) -> Result
    ) throws(LockstepError) -> Result {
        let value = unsafe value(index)
        let isText = unsafe sqlite3_value_type(value) == SQLITE_TEXT
        let start =
            unsafe isText ? sqlite3_value_text(value) : sqlite3_value_blob(value)?.assumingMemoryBound(to: UInt8.self)
        // An empty text has an address.
        guard unsafe start != nil || !isText else {
            throw LockstepError(.tooLarge, "there is not enough memory for a text in UTF-8")
        }
        let bytes = unsafe UnsafeBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
        return try unsafe body(bytes.span)
    }

    /// A copy of the bytes.
    func bytes(_ index: Int) throws(LockstepError) -> [UInt8] {
        try withBytes(index) { span throws(LockstepError) in
            unsafe span.withUnsafeBufferPointer { unsafe Array($0) }
        }
    }

    /// A TEXT; bytes that are not UTF-8 become U+FFFD.
    func text(_ index: Int) throws(LockstepError) -> String {
        try withBytes(index) { span throws(LockstepError) in
            unsafe span.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
        }
    }

    /// A number or a TEXT; NULL for another class, and for bytes that are not UTF-8.
    func numberOrText(_ index: Int) throws(LockstepError) -> Value {
        switch kind(index) {
        case .integer: return .integer(integer(index))
        case .real: return .real(real(index))
        case .null, .blob: return .null
        case .text: break
        }
        return try withBytes(index) { span throws(LockstepError) in
            let text = unsafe span.withUnsafeBufferPointer {
                unsafe String(validating: $0, as: UTF8.self)
            }
            return text.map(Value.text) ?? .null
        }
    }

    /// SQLite's value of an argument; nil if there is no such argument.
    func value(_ index: Int) -> OpaquePointer? {
        guard (0..<count).contains(index) else { return nil }
        return unsafe values?[index]
    }

    // MARK: Result

    func setResult(_ number: Int64) { unsafe sqlite3_result_int64(context, number) }

    func setResult(_ isTrue: Bool) { unsafe sqlite3_result_int(context, isTrue ? 1 : 0) }

    func setResult(_ number: Double) { unsafe sqlite3_result_double(context, number) }

    func setResult(text: Span<UInt8>) {
        unsafe text.withUnsafeBytes { bytes in
            let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            // An empty text is not NULL.
            guard let start = unsafe start else {
                return unsafe sqlite3_result_text64(context, "", 0, transient, UInt8(SQLITE_UTF8))
            }
            unsafe sqlite3_result_text64(context, start, UInt64(bytes.count), transient, UInt8(SQLITE_UTF8))
        }
    }

    func setResult(blob: Span<UInt8>) {
        unsafe blob.withUnsafeBytes { bytes in
            guard bytes.count > 0 else { return unsafe sqlite3_result_zeroblob(context, 0) }
            unsafe sqlite3_result_blob64(
                context, bytes.baseAddress, UInt64(bytes.count), transient)
        }
    }

    /// Returns the argument unchanged.
    func setResult(toArgument index: Int) {
        guard let value = unsafe value(index) else { return }
        unsafe sqlite3_result_value(context, value)
    }

    func setResult(_ value: Value) {
        switch value {
        case .null: unsafe sqlite3_result_null(context)
        case .integer(let number): setResult(number)
        case .real(let number): setResult(number)
        case .text(var text): text.withUTF8 { unsafe setResult(text: $0.span) }
        case .blob(let bytes): setResult(blob: bytes.span)
        }
    }

    /// Ends the statement with this message.
    func fail(_ message: String) { unsafe sqlite3_result_error(context, message, -1) }
}

extension Affinity {
    /// Whether a value of this kind is always stored unchanged.
    func keeps(_ kind: FunctionCall.Kind) -> Bool {
        switch (self, kind) {
        case (_, .blob), (.blob, _), (.text, .text), (.integer, .integer), (.numeric, .integer):
            true
        default: false
        }
    }
}
