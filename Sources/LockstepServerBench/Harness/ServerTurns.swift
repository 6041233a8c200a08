import FoundationEssentials
import LockstepPostgres
import SystemPackage

/// Which programs can do a workload, and how.
struct ServerTurns {
    let programs: ServerPrograms
    /// The schema with the table that the others are like.
    let base: String
    private(set) var turns: [Contest.Turn] = []
    /// Programs that are not there, and what to do.
    private(set) var missing: [String] = []

    private var site: BenchSite { programs.site }

    init(_ name: Contest.Name, _ programs: ServerPrograms) throws {
        self.programs = programs
        base = try programs.base.get()
        switch name {
        case .copyIn: copyIn()
        case .sealing: seal()
        case .copyOut: copyOut()
        case .insert: insert()
        case .lookup: lookUp()
        case .migrate: try migrate()
        }
    }

    private mutating func add(_ name: String, _ work: ServerWork, check: @escaping (String) throws -> Void = { _ in }) {
        let programs = programs
        turns.append(programs.turn(name, check: check) { try programs.own(work, $0) })
    }

    private mutating func leaveOut(_ name: String, _ reason: String) {
        missing.append("\(name): \(reason)")
    }

    // MARK: Workloads

    private mutating func copyIn() {
        add("lockstep", .copyIn, check: programs.requireSameRows)
        copyByPsql()
        add("lockstep, a fifth", .copyFifth)
    }

    private mutating func copyByPsql() {
        guard let psql = programs.psql else { return leaveOut("psql", "install psql") }
        let file = site.cellsFile
        turns.append(
            programs.turn("psql", isTable: true, check: programs.requireSameRows) { schema in
                try psql.copyIn(file, to: schema)
            })
    }

    private mutating func seal() {
        add("lockstep", .insert, check: programs.requireCount)
        copyByPsql()
        guard let psql = programs.psql else { return leaveOut("pgcrypto", "install psql") }
        do {
            try site.connect(base, sealed: false).execute(
                "CREATE EXTENSION IF NOT EXISTS pgcrypto SCHEMA \(name: base)")
        } catch {
            return leaveOut("pgcrypto", "the server has it not: \(error)")
        }
        let base = base
        turns.append(
            programs.turn("pgcrypto", check: programs.requireCount) { schema in
                try psql.run(schema, Psql.encryption(from: base))
            })
    }

    private mutating func copyOut() {
        let (programs, base) = (programs, base)
        turns.append(programs.turn("lockstep") { _ in try programs.own(.copyOut, base) })
        guard let psql = programs.psql else { return leaveOut("psql", "install psql") }
        let file = site.folder.appending("out.copy")
        turns.append(
            programs.turn("psql, own insert") { _ in
                try psql.copyOut(of: base, to: file) + programs.own(.insertFile, base)
            })
    }

    private mutating func insert() {
        add("lockstep", .insert, check: programs.requireCount)
        for name in ["psycopg", "sqlalchemy"] {
            client(name, "insert-\(name)", isTable: true, programs.requireSameRows)
        }
    }

    private mutating func lookUp() {
        let (programs, base) = (programs, base)
        turns.append(programs.turn("lockstep") { _ in try programs.own(.lookup, base) })
        turns.append(
            programs.turn("lockstep, in a transaction") { _ in
                try programs.own(.lookupTogether, base)
            })
        guard let pgbench = programs.pgbench.map({ Pgbench(program: $0, site: site) }) else {
            return leaveOut("pgbench", "install pgbench")
        }
        turns.append(programs.turn("pgbench") { _ in try pgbench.lookUp(in: base) })
    }

    private mutating func migrate() throws {
        try ServerCorpus.write(site.migrations, to: site)
        add("lockstep", .migrate, check: programs.requireCorpus)
        client("alembic", "alembic", isTable: false, programs.requireCorpus)
    }

    /// A client in Python.
    private mutating func client(
        _ name: String, _ work: String, isTable: Bool,
        _ check: @escaping (String) throws -> Void
    ) {
        guard let clients = programs.clients, programs.psql != nil else {
            return leaveOut(name, "install psql, and name Tests/Peers/build's folder")
        }
        let site = site
        turns.append(
            programs.turn(name, isTable: isTable, check: check) { schema in
                let output = try ProgramRun.output(
                    clients,
                    [
                        work, "--url", site.url, "--schema", schema, "--copy",
                        site.cellsFile.string, "--migrations", site.alembicFolder.string,
                    ])
                return try JSONDecoder().decode(Sample.self, from: Data(output.utf8))
            })
    }
}
