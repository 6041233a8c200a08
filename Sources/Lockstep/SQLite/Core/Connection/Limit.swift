internal import CSQLCipher

/// The limits that SQLite enforces on a connection (SQLite's documentation, "Run-Time Limits"). Lower limits
/// keep SQL and data of unknown origin from using all time and memory.
public enum Limit: Sendable, Hashable, CaseIterable {
    /// Bytes of a string, blob or row.
    case valueLength
    /// Bytes of a statement's SQL.
    case sqlLength
    /// Columns of a table, result, index or ORDER BY.
    case columns
    /// Depth of an expression.
    case expressionDepth
    /// Terms of a compound SELECT.
    case compoundTerms
    /// Instructions of a prepared statement.
    case instructions
    /// Arguments of a function.
    case functionArguments
    /// Bytes of a LIKE or GLOB pattern.
    case patternLength
    /// The highest number of a parameter.
    case parameters
    /// Depth of triggers that fire other triggers.
    case triggerDepth

    fileprivate var code: Int32 {
        switch self {
        case .valueLength: SQLITE_LIMIT_LENGTH
        case .sqlLength: SQLITE_LIMIT_SQL_LENGTH
        case .columns: SQLITE_LIMIT_COLUMN
        case .expressionDepth: SQLITE_LIMIT_EXPR_DEPTH
        case .compoundTerms: SQLITE_LIMIT_COMPOUND_SELECT
        case .instructions: SQLITE_LIMIT_VDBE_OP
        case .functionArguments: SQLITE_LIMIT_FUNCTION_ARG
        case .patternLength: SQLITE_LIMIT_LIKE_PATTERN_LENGTH
        case .parameters: SQLITE_LIMIT_VARIABLE_NUMBER
        case .triggerDepth: SQLITE_LIMIT_TRIGGER_DEPTH
        }
    }
}

extension Connection {
    /// Sets a limit on the connection. SQLite's compiled-in value is the maximum.
    func setLimit(_ limit: Limit, _ value: Int) {
        unsafe _ = sqlite3_limit(handle, limit.code, Int32(clamping: max(value, 0)))
    }
}
