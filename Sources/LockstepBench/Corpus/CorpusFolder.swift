import FoundationEssentials
import SystemPackage

/// The corpus on disk, once in the form of every tool that it is given to.
enum CorpusFolder {
    /// The folders, and what each file of theirs is called after its version and name.
    enum Form: String, CaseIterable {
        /// Ours: rebuilds are directives.
        case native
        /// Statements, and above those of a rebuild a comment that asks for foreign keys to be off.
        case plain
        case sqlMigrate = "sql-migrate"
        case yoyo
        case alembic

        var ending: String { self == .yoyo || self == .alembic ? "py" : "sql" }
    }

    /// Makes the folder and everything in it.
    static func write(_ migrations: [CorpusMigration], to folder: FilePath) throws(BenchError) {
        for form in Form.allCases {
            let home = folder.appending(form.rawValue)
            do {
                try FileManager.default.createDirectory(
                    atPath: home.string, withIntermediateDirectories: true)
                for (index, migration) in migrations.enumerated() {
                    let path = home.appending(name(of: migration, index, form))
                    try Data(content(of: migration, index, form).utf8).write(
                        to: URL(fileURLWithPath: path.string))
                }
            } catch {
                throw BenchError(
                    "the migrations cannot be written to \(home): \(error)",
                    hint: "name another folder, on the disk that is to be measured")
            }
        }
    }

    private static func name(of migration: CorpusMigration, _ index: Int, _ form: Form) -> String {
        "\(version(index))_\(migration.name).\(form.ending)"
    }

    /// From 0001 on, with zeros in front: most tools order files as texts.
    private static func version(_ index: Int) -> String {
        let digits = String(index + 1)
        return String(repeating: "0", count: max(4 - digits.count, 0)) + digits
    }

    static func content(of migration: CorpusMigration, _ index: Int, _ form: Form) -> String {
        let statements = migration.statements
        switch form {
        case .native:
            let body = migration.directives ?? statements.joined(separator: ";\n")
            return "-- lockstep: up\n\(body);\n"
        case .plain:
            return (migration.isRebuild ? "-- foreign keys off\n" : "")
                + statements.joined(separator: ";\n") + ";\n"
        case .sqlMigrate:
            // What holds semicolons of its own has to be said.
            let marked = statements.map { sql in
                sql.contains(";")
                    ? "-- +migrate StatementBegin\n\(sql);\n-- +migrate StatementEnd\n"
                    : "\(sql);\n"
            }
            return "-- +migrate Up\n" + marked.joined()
        case .yoyo:
            let steps = statements.map { "    step(\(python($0)))," }
            return "from yoyo import step\n\nsteps = [\n\(steps.joined(separator: "\n"))\n]\n"
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

    /// A literal of Python's. The corpus has no quotes of three, and nothing that needs escaping.
    private static func python(_ text: String) -> String { "\"\"\"\(text)\"\"\"" }
}
