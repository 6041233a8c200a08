@testable import Lockstep

/// The registry of sealed columns, row by row, as anyone who can open the database can write it: with values of any
/// type, in tables without constraints.
final class RegistryTarget: FuzzTarget {
    static let name = "registry"
    static let refusals: Set<LockstepError.Code> = [
        .registryForged, .keyringMismatch, .keyUnavailable, .registryMissing,
    ]
    private let connection: Connection
    private let keys: FieldKeys

    private static let tables: [(name: String, columns: [String])] = [
        (EngineTables.datasets, ["dataset", "changes", "key_version", "mac", "database"]),
        (
            EngineTables.columns,
            ["dataset", "id", "table_name", "name", "mode", "padding", "state", "cursor", "mac", "row_key"]
        ),
        (
            EngineTables.indexes,
            ["dataset", "column_id", "number", "name", "normaliser", "bits", "key_version", "commitment", "mac"]
        ),
        (EngineTables.fieldKeys, ["dataset", "version", "commitment"]),
    ]

    init() throws {
        let connection = try Connection.inMemory()
        try connection.with(rights: .engine) {
            for (name, columns) in Self.tables {
                try connection.run(script: "CREATE TABLE \(name) (\(columns.joined(separator: ", ")))")
            }
        }
        self.connection = connection
        keys = try FuzzKeys.fieldKeys()
    }

    /// A row: a table's number, and a value for each column except the dataset's identifier.
    func run(_ input: [UInt8]) throws {
        try connection.with(rights: .engine) {
            for (name, _) in Self.tables { try connection.run(script: "DELETE FROM \(name)") }
            var input = FuzzInput(input)
            while !input.isAtEnd {
                let (name, columns) = Self.tables[Int(input.byte()) % Self.tables.count]
                var values: SQL = "\(FuzzKeys.dataset)"
                for _ in columns.dropFirst() { values = "\(values), \(input.value())" }
                try connection.execute("INSERT INTO main.\(name: name) VALUES (\(values))")
            }
        }
        _ = try RegistryTables.changes(of: FuzzKeys.dataset, connection)
        let registry = try RegistryTables.read(keys, connection)
        require(registry == nil, "what nobody with the keys has written is taken")
    }

    static func seeds() throws -> [String: [UInt8]] {
        let mac = FuzzValue.blob([UInt8](repeating: 1, count: 32))
        let set = [0] + FuzzValue.number(3) + FuzzValue.number(2) + mac + FuzzValue.null
        let column =
            [1] + FuzzValue.number(1) + FuzzValue.text("films") + FuzzValue.text("title") + FuzzValue.text("random")
            + FuzzValue.number(0) + FuzzValue.text("sealed") + FuzzValue.null + mac + FuzzValue.text("row id")
        let index =
            [2] + FuzzValue.number(1) + FuzzValue.number(1) + FuzzValue.text("title_index") + FuzzValue.text("prefix-3")
            + FuzzValue.number(16) + FuzzValue.number(1) + FuzzValue.blob([UInt8](repeating: 0x11, count: 32)) + mac
        let key = [3] + FuzzValue.number(2) + FuzzValue.blob([UInt8](repeating: 2, count: 32))
        return [
            "set": set, "column": set + column + key, "index": set + column + index + key,
            "two": set + key + column + column,
        ]
    }
}
