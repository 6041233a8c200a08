@testable import Lockstep

/// The ledger's rows as anyone who can open the database can write them: a row is written back unchanged.
final class LedgerTarget: FuzzTarget {
    static let name = "ledger"
    static let refusals: Set<LockstepError.Code> = [.tampered]
    private let connection: Connection

    private static let columns = [
        "position", "\"set\"", "version", "name", "checksum_bytes", "checksum_text", "checksum_tokens", "down",
        "applied_at", "duration", "tool_version", "mac_dataset", "mac_key_version", "mac",
    ]

    init() throws {
        let connection = try Connection.inMemory()
        try connection.with(rights: .engine) {
            let columns = Self.columns.joined(separator: ", ")
            try connection.run(script: "CREATE TABLE \(EngineTables.ledger) (\(columns))")
        }
        self.connection = connection
    }

    func run(_ input: [UInt8]) throws {
        try connection.with(rights: .engine) {
            try clear()
            var input = FuzzInput(input)
            while !input.isAtEnd {
                var values: SQL = "\(input.value())"
                for _ in Self.columns.dropFirst() { values = "\(values), \(input.value())" }
                try connection.execute("INSERT INTO main.lockstep_migration VALUES (\(values))")
            }
        }
        let entries = try LedgerRows.read(connection)
        try connection.with(rights: .engine) {
            try clear()
            for entry in entries { try LedgerRows.write(entry, connection) }
        }
        require(try LedgerRows.read(connection) == entries, "the ledger is read as another one")
    }

    private func clear() throws {
        try connection.run(script: "DELETE FROM \(EngineTables.ledger)")
    }

    static func seeds() -> [String: [UInt8]] {
        let sum = FuzzValue.blob([UInt8](repeating: 1, count: 32))
        func row(_ position: Int64, down: [UInt8], code: [UInt8]) -> [UInt8] {
            FuzzValue.number(position) + FuzzValue.text("films") + FuzzValue.text("\(position).2")
                + FuzzValue.text("create") + sum + sum + sum + down + FuzzValue.number(1_700_000_000_000_000)
                + FuzzValue.number(17) + FuzzValue.text("0.1.0") + code
        }
        let none = FuzzValue.null + FuzzValue.null + FuzzValue.null
        let code = FuzzValue.blob(FuzzKeys.dataset) + FuzzValue.number(2) + sum
        return [
            "plain": row(1, down: FuzzValue.text("DROP TABLE films;"), code: none),
            "coded": row(1, down: FuzzValue.null, code: code),
            "two": row(1, down: FuzzValue.null, code: none) + row(2, down: FuzzValue.null, code: code),
        ]
    }
}
