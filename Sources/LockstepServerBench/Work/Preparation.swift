import Lockstep
import LockstepPostgres
import SystemPackage

/// Makes what the runs work with.
struct Preparation {
    let site: BenchSite

    func run(_ schema: String) throws -> Sample {
        try makeFile(site.source, rows: site.rows)
        try makeFile(site.fifth, rows: site.rows / 5)
        let server = try site.connect(schema, sealed: false)
        _ = try ServerCopy([try BenchSite.set(.postgres)]).run(
            from: try Connection.open(site.source, key: try site.databaseKey()), to: server)
        try makePlain(server)
        try server.execute("ANALYZE record")
        return Sample(wall: 0)
    }

    private func makeFile(_ path: FilePath, rows: Int) throws {
        var options = ConnectionOptions()
        options.fieldKeys = [try site.fieldKeys()]
        options.mayBeUnsealed = true
        let file = try Connection.create(path, key: try site.databaseKey(), options: options)
        _ = try Migrator(BenchSite.set(.sqlite)).run(on: file)
        try file.write { file in
            let insert = try file.prepare(
                "INSERT INTO record_open (id, a, b, c, d, ratio, first, second, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
            )
            for id in 1...rows {
                try insert.bind(values: Rows.record(id).values)
                try insert.run()
            }
        }
    }

    /// The same rows as plain values, each with a text that is unique.
    private func makePlain(_ server: borrowing ServerConnection) throws {
        try server.execute(
            """
            CREATE TABLE plain (id bigint PRIMARY KEY, a bigint NOT NULL, b bigint NOT NULL, c bigint NOT NULL,
                d bigint NOT NULL, ratio double precision NOT NULL, first text, second text, bytes bytea,
                name text UNIQUE)
            """)
        try server.transaction { server in
            let insert = try server.prepare("INSERT INTO plain VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)")
            var rows: [[ServerParameter]] = []
            for id in 1...site.rows {
                let name = String(ServerWork.firstName + id * ServerWork.nameStep)
                rows.append(
                    Rows.record(id).values.map(\.serverParameter) + [name.serverParameter])
                if rows.count == 4096 || id == site.rows {
                    try insert.executeAll(rows)
                    rows = []
                }
            }
        }
        try server.execute("ANALYZE plain")
    }
}
