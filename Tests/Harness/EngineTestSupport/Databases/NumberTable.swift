@testable import Lockstep

/// Suites that check which numbers remain in a table.
protocol NumberTable {
    var scratch: DatabaseScratch { get }
}

extension NumberTable {
    /// A database with the table `t (a INTEGER UNIQUE)`.
    static func makeScratch() throws -> DatabaseScratch {
        let scratch = try DatabaseScratch()
        let connection = try scratch.create()
        try connection.execute("CREATE TABLE t (a INTEGER UNIQUE)")
        return scratch
    }

    /// The numbers in the table, ascending.
    func values(_ connection: borrowing Connection) throws -> [Int] {
        try connection.query("SELECT a FROM t ORDER BY a") { row in try row[0] }
    }

    /// A connection that does not wait for others.
    func open() throws -> Connection {
        var options = ConnectionOptions()
        options.busyTimeout = .zero
        return try scratch.open(options)
    }
}
