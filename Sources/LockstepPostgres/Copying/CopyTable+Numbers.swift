internal import Lockstep

/// The numbers that new rows get, which the rows that are left do not show.
extension CopyTable {
    /// The last number that AUTOINCREMENT has given in a file; nil for a table without it.
    func lastNumber(in file: borrowing Connection) throws -> Int64? {
        guard try Self.counts(file) else { return nil }
        return try file.value("SELECT seq FROM main.sqlite_sequence WHERE name = \(name)")
    }

    /// Lets AUTOINCREMENT in a file go on after the last number that the server's sequence has given.
    func setLastNumber(in file: borrowing Connection, from server: borrowing ServerConnection) throws {
        guard key.count == 1, try Self.counts(file),
            let sequence = self.server.detail(columns[key[0]].serverName)?.sequence
        else { return }
        let last: ServerCount? = try server.value(
            "SELECT pg_catalog.pg_sequence_last_value(\(sequence)::regclass)")
        guard let last else { return }
        try file.execute(
            "UPDATE main.sqlite_sequence SET seq = max(seq, \(Int64(last.value))) WHERE name = \(name)")
    }

    private static func counts(_ file: borrowing Connection) throws -> Bool {
        try file.value("SELECT count(*) FROM main.sqlite_schema WHERE name = 'sqlite_sequence'") == 1
    }
}
