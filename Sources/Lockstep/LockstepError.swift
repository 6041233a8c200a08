/// An error of Lockstep: what went wrong and where, and what to do next.
///
/// Messages and hints never contain keys, passphrases or values of the database. In SQL that appears in a message,
/// literals are replaced.
///
/// ## What a function throws
///
/// The documentation of a function names the codes that concern its arguments and its data. In addition:
///
/// - A function that runs SQL passes on SQLite's errors; see ``sqliteCode``.
/// - A function that reads or writes files throws ``Code/notFound``, ``Code/accessDenied``, ``Code/notAFile``,
///   ``Code/full`` or ``Code/inputOutput`` if the system refuses.
/// - A function that handles secrets throws ``Code/secureMemoryExhausted`` if their memory is used up, and
///   ``Code/cryptographyFailed`` if OpenSSL fails.
/// - An asynchronous form and a job with ``JobProgress`` throw `CancellationError` if their task is cancelled.
public struct LockstepError: Error, Sendable, Hashable {
    /// The kind of error, for programs.
    public let code: Code
    /// The failure and its place, for users.
    public let message: String
    /// The suggested next step; nil if there is none.
    public var hint: String? { advice?.text }
    /// The hint, with the actions that it names.
    package let advice: Advice?
    /// The subject of the error, as far as it is known, for programs.
    public let context: Context
    /// SQLite's extended result code, if SQLite reported the failure.
    ///
    /// ``code`` then follows from its primary code:
    ///
    /// | SQLite | code |
    /// |---|---|
    /// | `BUSY`, `LOCKED`, `PROTOCOL` | ``Code/busy`` |
    /// | `CONSTRAINT`, `MISMATCH` | ``Code/constraint`` |
    /// | `FULL` | ``Code/full`` |
    /// | `CORRUPT`, `NOTADB` | ``Code/damaged`` |
    /// | `IOERR`, `CANTOPEN` | ``Code/inputOutput`` |
    /// | `READONLY` | ``Code/readOnly``; ``Code/replaced`` if the file was moved away or replaced |
    /// | `AUTH` | ``Code/denied`` |
    /// | `INTERRUPT` | ``Code/interrupted``; ``Code/limitExceeded`` if a time limit ended the statement |
    /// | `NOMEM` | ``Code/limitExceeded`` if a ``MemoryLimit`` is set |
    /// | `MISUSE`, `RANGE` | ``Code/misuse`` |
    /// | others | ``Code/sqlFailed`` |
    public var sqliteCode: Int32? { context.sqliteCode }

    /// Makes an error; `message`, `hint` and `context` must not contain secrets or values. A given `sqliteCode`
    /// replaces the code in `context`.
    public init(
        _ code: Code, _ message: String, hint: String? = nil, sqliteCode: Int32? = nil, context: Context = Context()
    ) {
        self.init(
            code, message, advice: Advice(ifAny: hint), sqliteCode: sqliteCode, context: context
        )
    }

    /// Makes an error whose hint names actions.
    package init(
        _ code: Code, _ message: String, advice: Advice?, sqliteCode: Int32? = nil, context: Context = Context()
    ) {
        self.code = code
        self.message = message
        self.advice = advice
        self.context = Context(sqliteCode: sqliteCode).completed(by: context)
    }

    /// The same error with its location: the message begins with `place`, and `context` fills the fields that the
    /// error's own context leaves out.
    public func located(
        _ place: String, hint outerHint: String? = nil, context: Context = Context()
    ) -> LockstepError {
        located(place, advice: Advice(ifAny: outerHint), context: context)
    }

    /// The same with a hint that names actions.
    package func located(
        _ place: String, advice outerAdvice: Advice?, context: Context = Context()
    ) -> LockstepError {
        LockstepError(
            code, "\(place): \(message)", advice: outerAdvice ?? advice, context: self.context.completed(by: context))
    }

    /// The same error, whose context gets the fields of `context` that it leaves out.
    public func adding(_ context: Context) -> LockstepError {
        LockstepError(code, message, advice: advice, context: self.context.completed(by: context))
    }
}

extension LockstepError: CustomStringConvertible {
    /// The message, followed by the hint on a separate line.
    public var description: String {
        guard let hint else { return message }
        return "\(message)\nhint: \(hint)"
    }
}

extension LockstepError {
    /// A kind of failure. Each layer declares the codes that it throws; later versions add codes, so a `switch` over a
    /// code needs a `default`.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The stable name of the code, such as `wrong-key`. JSON output uses it.
        public let rawValue: String

        /// The code of this name. Any name is accepted: it can be the code of a newer version.
        public init(rawValue: String) { self.rawValue = rawValue }

        package init(_ rawValue: String) { self.rawValue = rawValue }
    }
}

extension LockstepError.Code: CustomStringConvertible {
    /// The stable name of the code.
    public var description: String { rawValue }
}

/// Codes that several layers throw.
extension LockstepError.Code {
    /// SQL has several statements or none where one is expected, or a call was out of order.
    public static let misuse = Self("misuse")
    /// The content of a database or file cannot be trusted.
    public static let tampered = Self("tampered")
    /// Input data violates its format.
    public static let malformedInput = Self("malformed-input")
}
