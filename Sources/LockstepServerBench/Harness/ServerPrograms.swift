import BenchKit
import FoundationEssentials
import LockstepPostgres
import SystemPackage

/// The programs that take part, and the schemas that they work in.
final class ServerPrograms {
    let site: BenchSite
    let psql: Psql?
    let pgbench: FilePath?
    let clients: FilePath?
    /// The schema with the table that the others are like.
    private(set) lazy var base = Result { try prepare() }
    private var schemas: [String] = []
    private let prefix = "bench_\(ProcessInfo.processInfo.processIdentifier)"
    private var count = 0

    init(site: BenchSite, peers: FilePath?) {
        self.site = site
        psql = ProgramRun.find("psql").map { Psql(program: $0, url: site.url) }
        pgbench = ProgramRun.find("pgbench")
        let clients = peers.map { $0.appending("server-clients") }
        self.clients = clients.flatMap { ProgramRun.isExecutable($0.string) ? $0 : nil }
    }

    func serverVersion() throws -> String {
        let server = try site.connect(nil, sealed: false)
        return try server.value("SELECT pg_catalog.version()", as: String.self) ?? ""
    }

    func operations(_ name: Contest.Name) -> Int {
        switch name {
        case .lookup: site.lookups
        case .migrate: site.migrations
        default: site.rows
        }
    }

    // MARK: Schemas

    private func makeSchema() throws -> String {
        count += 1
        let name = "\(prefix)_\(count)"
        try site.connect(nil, sealed: false).execute("CREATE SCHEMA \(name: name)")
        schemas.append(name)
        return name
    }

    private func drop(_ schema: String) throws {
        let server = try site.connect(nil, sealed: false)
        try server.execute("DROP SCHEMA \(name: schema) CASCADE")
        schemas.removeAll { $0 == schema }
    }

    /// Drops what is left.
    func dropAll() {
        for schema in schemas.reversed() { try? drop(schema) }
    }

    /// Runs in a new schema, after a checkpoint, so that no run pays for the writes of another.
    /// - Parameter isTable: Whether the table stands there already, like the one of the base schema.
    func turn(
        _ name: String, isTable: Bool = false,
        check: ((String) throws -> Void)? = nil,
        _ body: @escaping (String) throws -> Sample
    ) -> Contest.Turn {
        Contest.Turn(name: name) { [self] in
            let base = try base.get()
            let schema = try makeSchema()
            if isTable {
                try site.connect(schema, sealed: false).execute(
                    "CREATE TABLE record (LIKE \(name: base).record INCLUDING ALL)")
            }
            try site.connect(nil, sealed: false).execute("CHECKPOINT")
            let sample = try body(schema)
            try check?(schema)
            try drop(schema)
            return sample
        }
    }

    /// Checks that a schema's table has the same rows as the base's, by the server's own hash of their texts.
    func requireSameRows(_ schema: String) throws {
        let hashes = try [base.get(), schema].map { schema in
            try site.connect(schema, sealed: false).value(
                """
                SELECT pg_catalog.count(*) || ' '
                    || pg_catalog.sum(pg_catalog.hashtextextended(r::text, 0)::numeric)
                FROM record AS r
                """, as: String.self)
        }
        guard hashes[0] == hashes[1] else {
            throw BenchError("\(schema) has different rows: \(hashes[1] ?? "none") instead of \(hashes[0] ?? "none")")
        }
    }

    func requireCount(_ schema: String) throws {
        let found: Int? = try site.connect(schema, sealed: false).value("SELECT pg_catalog.count(*) FROM record")
        guard found == site.rows else {
            throw BenchError("\(schema) has \(found ?? 0) rows instead of \(site.rows)")
        }
    }

    /// Makes the file, the base schema and the files of rows.
    private func prepare() throws -> String {
        let schema = try makeSchema()
        _ = try own(.prepare, schema)
        if let psql { _ = try psql.copyOut(of: schema, to: site.cellsFile) }
        return schema
    }

    // MARK: Programs

    /// A run of Lockstep in a process of its own.
    func own(_ work: ServerWork, _ schema: String) throws -> Sample {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let output = try ProgramRun.output(
            FilePath(own),
            [
                "run", work.rawValue, "--url", site.url, "--folder", site.folder.string,
                "--schema", schema, "--rows", "\(site.rows)", "--lookups",
                "\(site.lookups)", "--migrations", "\(site.migrations)",
            ])
        return try JSONDecoder().decode(Sample.self, from: Data(output.utf8))
    }

    /// Checks that a schema is what the migrations make.
    func requireCorpus(_ schema: String) throws {
        let found: Int? = try site.connect(schema, sealed: false).value(
            """
            SELECT pg_catalog.count(*) FROM pg_catalog.pg_class
            WHERE relnamespace = \(schema)::text::regnamespace AND relkind IN ('r', 'i', 'v')
                AND relname NOT LIKE 'lockstep%' AND relname NOT LIKE 'alembic%'
            """)
        guard found == ServerCorpus.objects(site.migrations) else {
            let wanted = ServerCorpus.objects(site.migrations)
            throw BenchError("\(schema) has \(found ?? 0) objects instead of \(wanted)")
        }
    }
}
