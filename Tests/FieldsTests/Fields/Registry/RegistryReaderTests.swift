import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// An independent reader of what a database records about its sealed columns.
struct RegistryReaderTests {
    /// A value of a row, in JSON.
    private enum Field: Encodable {
        case none
        case number(Int64)
        case text(String)

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .none: try container.encodeNil()
            case .number(let number): try container.encode(number)
            case .text(let text): try container.encode(text)
            }
        }
    }

    private struct Request: Encodable {
        var registry: [String: [[Field]]]
        var field_keys: [String: String]
    }

    /// The four tables, as anyone who can open the database reads them.
    private func tables(_ connection: borrowing Connection) throws -> [String: [[Field]]] {
        func rows(_ sql: String) throws -> [[Field]] {
            try connection.query(SQL(verbatim: sql)) { row in
                try (0..<row.count).map { index in
                    switch try row[index] as Value {
                    case .null: .none
                    case .integer(let number): .number(number)
                    case .text(let text): .text(text)
                    case .blob(let bytes): .text(Hex.encode(bytes))
                    case .real(let number): .text("\(number)")
                    }
                }
            }
        }
        let hasEpochs = try connection.texts("SELECT name FROM pragma_table_info('lockstep_keyring')").contains("mac")
        return [
            "epochs": hasEpochs
                ? try rows("SELECT dataset, ring, epoch, mac FROM lockstep_keyring WHERE dataset IS NOT NULL") : [],
            "dataset": try rows(
                "SELECT dataset, changes, key_version, mac, database, registry, earlier, folded FROM lockstep_dataset"),
            "columns": try rows(
                """
                SELECT id, table_name, name, mode, padding, state, cursor, mac, row_key, identity
                FROM lockstep_column ORDER BY id
                """),
            "indexes": try rows(
                """
                SELECT column_id, number, name, normaliser, bits, key_version, commitment, mac
                FROM lockstep_index ORDER BY column_id, number
                """), "keys": try rows("SELECT version, commitment FROM lockstep_field_key ORDER BY version"),
        ]
    }

    @Test(
        "It accepts what is unchanged, in every state, and nothing that was changed",
        .enabled(if: PythonReader.isPresent, PythonReader.missing))
    func reads() throws {
        let ring = try Keyring.create(.fields)
        let bench = try SealedTableWorkbench(rows: 12, keys: ring.fieldKeys())
        let key = Secrets.bytes(of: try ring.key(.field, version: 1))
        let connection = try bench.open()
        var requests: [Request] = []
        func ask() throws {
            requests.append(
                Request(
                    registry: try tables(connection),
                    field_keys: ["1": Hex.encode(key)]))
        }
        #expect(throws: Stop.self) {
            try connection.protect(
                "title", of: "film", keys: bench.keys, padding: .multiple(of: 32),
                indexes: [.init(.exact), .init(.prefix(3), bits: 12)], batch: 5
            ) { _ in throw Stop() }
        }
        try ask()
        try connection.protect(
            "title", of: "film", keys: bench.keys, padding: .multiple(of: 32),
            indexes: [.init(.exact), .init(.prefix(3), bits: 12)])
        try connection.protect("note", of: "film", keys: bench.keys, mode: .deterministic)
        try ask()
        try ring.rememberFields(in: connection)
        try ask()
        // The rows are written again with each change of the registry.
        try connection.unprotect("note", of: "film", keys: bench.keys)
        try ask()
        let sound = requests.count
        let forgeries = [
            "UPDATE lockstep_column SET state = 'migrating' WHERE id = 1",
            "UPDATE lockstep_index SET bits = 13 WHERE number = 2", "DELETE FROM lockstep_index WHERE number = 2",
            "UPDATE lockstep_dataset SET changes = changes - 1",
            "UPDATE lockstep_field_key SET commitment = zeroblob(32)",
            "UPDATE lockstep_column SET row_key = 'row year' WHERE id = 1", "UPDATE lockstep_column SET row_key = NULL",
            "UPDATE lockstep_dataset SET database = randomblob(16)", "UPDATE lockstep_dataset SET registry = NULL",
            "UPDATE lockstep_dataset SET registry = randomblob(16)",
            "UPDATE lockstep_dataset SET earlier = substr(earlier, 33)",
            "UPDATE lockstep_dataset SET earlier = zeroblob(32)",
            "UPDATE lockstep_dataset SET folded = zeroblob(32)",
            "UPDATE lockstep_dataset SET folded = zeroblob(32), earlier = substr(earlier, 33)",
            "UPDATE lockstep_column SET identity = NULL WHERE id = 1",
            "UPDATE lockstep_column SET identity = randomblob(16)",
            "UPDATE lockstep_keyring SET epoch = epoch + 1 WHERE dataset IS NOT NULL",
            "UPDATE lockstep_keyring SET ring = randomblob(16) WHERE dataset IS NOT NULL",
            "UPDATE lockstep_keyring SET mac = NULL WHERE dataset IS NOT NULL",
        ]
        for sql in forgeries {
            #expect(throws: Stop.self) {
                try connection.with(rights: .engine) {
                    try connection.savepoint { connection in
                        try connection.run(script: sql)
                        try ask()
                        throw Stop()
                    }
                }
            }
        }
        let outcome = try CellReader.answers(requests)
        #expect(outcome == Array(repeating: "holds", count: sound) + Array(repeating: "forged", count: forgeries.count))
    }
}
