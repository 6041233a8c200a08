import BenchKit
import Lockstep
import LockstepPostgres

/// Inserts rows whose values are sealed on the way.
struct InsertWork {
    let site: BenchSite

    func run(_ schema: String) throws -> Sample {
        let server = try site.connect(schema, sealed: true)
        _ = try ServerMigrator(try BenchSite.set(.postgres)).run(on: server)
        let rows = (1...site.rows).map { Rows.record($0).values }
        let sample = try Sample.measure {
            try server.transaction { server in
                _ = try server.insert("record", BenchSite.columns, rows)
            }
        }
        try requireRows(server)
        return sample
    }

    /// Checks what the server has, opened.
    private func requireRows(_ server: borrowing ServerConnection) throws {
        let step = 10_000
        for start in stride(from: 1, through: site.rows, by: step) {
            let end = min(start + step - 1, site.rows)
            let rows = try server.query(
                """
                SELECT id, a, b, c, d, ratio, first, second, bytes FROM record
                WHERE id BETWEEN \(start)::int8 AND \(end)::int8 ORDER BY id
                """
            ) { row in try (0..<9).map { try row.value($0) } }
            guard rows == (start...end).map({ Rows.record($0).values }) else {
                throw BenchError("the server has other rows than were inserted")
            }
        }
    }
}
