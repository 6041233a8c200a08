/// `String` and `String?`.
public protocol TextColumnValue {}

extension String: TextColumnValue {}
extension Optional: TextColumnValue where Wrapped == String {}
