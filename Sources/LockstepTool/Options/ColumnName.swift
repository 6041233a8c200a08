import ArgumentParser
import Lockstep

/// A column, as named on the command line.
struct ColumnName: ExpressibleByArgument {
    let table: String
    let column: String

    init?(argument: String) {
        let parts = argument.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        (table, column) = (String(parts[0]), String(parts[1]))
    }
}
