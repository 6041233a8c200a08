import BenchKit
import FoundationEssentials
import Lockstep
import SystemPackage

/// The corpus on disk, once in the format of each tool.
enum CorpusFolder {
    /// The folders, and the ending of their files' names.
    enum Form: String, CaseIterable {
        /// Lockstep's format: rebuilds are directives.
        case native
        /// Statements; a rebuild is preceded by a comment that asks for foreign keys to be off.
        case plain
        case sqlMigrate = "sql-migrate"
        case yoyo
        case alembic
        /// A script for each migration in a subfolder, and the plan that orders them.
        case sqitch

        var ending: String { self == .yoyo || self == .alembic ? "py" : "sql" }

        /// The folder of the migrations themselves.
        var scripts: String { self == .sqitch ? "sqitch/deploy" : rawValue }
    }

    /// Makes the folder and everything in it.
    static func write(_ migrations: [CorpusMigration], to folder: FilePath) throws(BenchError) {
        for form in Form.allCases {
            let home = folder.appending(form.rawValue)
            let scripts = folder.appending(form.scripts)
            do {
                try FileManager.default.createDirectory(atPath: scripts.string, withIntermediateDirectories: true)
                for (index, migration) in migrations.enumerated() {
                    try write(
                        content(of: migration, index, form), to: scripts.appending(name(of: migration, index, form)))
                }
                if form == .sqitch {
                    try write("[core]\n\tengine = sqlite\n", to: home.appending("sqitch.conf"))
                    try write(sqitchPlan(migrations), to: home.appending("sqitch.plan"))
                }
            } catch {
                throw BenchError(
                    "the migrations cannot be written to \(home): \(error)",
                    hint: "name another folder, on the disk to be measured")
            }
        }
    }

    private static func write(_ text: String, to path: FilePath) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path.string))
    }

    private static func name(of migration: CorpusMigration, _ index: Int, _ form: Form) -> String {
        "\(change(migration, index)).\(form.ending)"
    }

    /// The file's name without its ending, which is also what sqitch calls it.
    private static func change(_ migration: CorpusMigration, _ index: Int) -> String {
        "\(version(index))_\(migration.name)"
    }

    /// From 0001 on, padded with zeros, because most tools order files as text.
    private static func version(_ index: Int) -> String { (index + 1).padded(to: 4) }

    static func content(of migration: CorpusMigration, _ index: Int, _ form: Form) -> String {
        let statements = migration.statements
        switch form {
        case .native:
            let body = migration.directives ?? statements.joined(separator: ";\n")
            let declarations = migration.declarations.map { "-- lockstep: \($0)\n" }.joined()
            return "-- lockstep: up\n\(declarations)\(body);\n"
        case .plain:
            return (migration.isRebuild ? "-- foreign keys off\n" : "") + statements.joined(separator: ";\n") + ";\n"
        case .sqlMigrate:
            // Statements that contain semicolons must be marked.
            let marked = statements.map { sql in
                sql.contains(";") ? "-- +migrate StatementBegin\n\(sql);\n-- +migrate StatementEnd\n" : "\(sql);\n"
            }
            return "-- +migrate Up\n" + marked.joined()
        case .yoyo:
            let steps = statements.map { "    step(\(python($0)))," }
            return "from yoyo import step\n\nsteps = [\n\(steps.joined(separator: "\n"))\n]\n"
        case .sqitch:
            // As in sqitch's template. It refuses a script that is byte for byte identical to an earlier one: the first
            // line keeps them apart.
            return "-- Deploy corpus:\(change(migration, index)) to sqlite\n\nBEGIN;\n\n"
                + statements.joined(separator: ";\n") + ";\n\nCOMMIT;\n"
        case .alembic:
            let calls = statements.map { "    op.execute(\(python($0)))" }
            let before = index == 0 ? "None" : "\"\(version(index - 1))\""
            return """
                from alembic import op

                revision = "\(version(index))"
                down_revision = \(before)
                branch_labels = None
                depends_on = None


                def upgrade():
                \(calls.joined(separator: "\n"))


                def downgrade():
                    pass

                """
        }
    }

    /// sqitch's plan: the changes in their order, with a fixed planner and time, because the identifiers that it makes
    /// depend on both.
    static func sqitchPlan(_ migrations: [CorpusMigration]) -> String {
        let lines = migrations.enumerated().map { index, migration in
            "\(change(migration, index)) 2020-01-01T00:00:00Z Lockstep <bench@lockstep.invalid>\n"
        }
        return "%syntax-version=1.0.0\n%project=corpus\n\n" + lines.joined()
    }

    /// A Python literal. The corpus has no triple quotes, and nothing that needs escaping.
    private static func python(_ text: String) -> String { "\"\"\"\(text)\"\"\"" }
}
