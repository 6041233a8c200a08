@testable import Lockstep

extension SQLFunction {
    /// Returns its argument.
    static let same = SQLFunction("same", argumentCount: 1) { try $0[0] }
}

extension Connection {
    /// A database in memory with these functions.
    static func inMemory(with functions: SQLFunction...) throws -> Connection {
        var options = ConnectionOptions()
        options.functions = functions
        return try inMemory(options)
    }
}
