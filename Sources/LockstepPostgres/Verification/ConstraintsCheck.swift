internal import Lockstep

/// Every constraint is validated, and every index is valid.
enum ConstraintsCheck {
    static func run(
        _ schema: String, _ connection: borrowing ServerConnection
    ) throws -> CheckResult {
        let constraints = try connection.query(
            """
            SELECT c.conname::text, coalesce(t.relname::text, ''), c.convalidated
            FROM pg_catalog.pg_constraint AS c
            JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.connamespace
            LEFT JOIN pg_catalog.pg_class AS t ON t.oid OPERATOR(pg_catalog.=) c.conrelid
            WHERE n.nspname OPERATOR(pg_catalog.=) \(schema)::name ORDER BY 2, 1
            """
        ) {
            (name: try $0[0] as String, table: try $0[1] as String, isSound: try $0[2] as Bool)
        }
        let indexes = try connection.query(
            """
            SELECT c.relname::text, t.relname::text, i.indisvalid AND i.indisready
            FROM pg_catalog.pg_index AS i
            JOIN pg_catalog.pg_class AS c ON c.oid OPERATOR(pg_catalog.=) i.indexrelid
            JOIN pg_catalog.pg_class AS t ON t.oid OPERATOR(pg_catalog.=) i.indrelid
            JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) t.relnamespace
            WHERE n.nspname OPERATOR(pg_catalog.=) \(schema)::name ORDER BY 2, 1
            """
        ) {
            (name: try $0[0] as String, table: try $0[1] as String, isSound: try $0[2] as Bool)
        }
        // A foreign key is two triggers on each side.
        let switched = try connection.query(
            """
            SELECT DISTINCT c.relname::text FROM pg_catalog.pg_trigger AS g
            JOIN pg_catalog.pg_class AS c ON c.oid OPERATOR(pg_catalog.=) g.tgrelid
            JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
            WHERE n.nspname OPERATOR(pg_catalog.=) \(schema)::name AND g.tgisinternal
                AND g.tgenabled OPERATOR(pg_catalog.<>) ALL ('{O,A}'::"char"[])
            ORDER BY 1
            """
        ) { try $0[0] as String }
        let role: String? = try connection.value("SELECT pg_catalog.current_setting('session_replication_role')")
        let unenforced: [VerificationReport.Finding] =
            switched.map {
                .failure(
                    "foreign keys of \($0) are not enforced: ALTER TABLE … ENABLE TRIGGER ALL enforces them for new rows"
                )
            }
            + (role?.hasSameBytes(as: "origin") == false
                ? [
                    .failure(
                        "foreign keys are not enforced for this role: session_replication_role is \(role ?? "")")
                ] : [])
        let findings =
            unenforced
            + constraints.filter { !$0.isSound }.map {
                VerificationReport.Finding.failure(
                    "the constraint \($0.name) of \($0.table) is not validated: ALTER TABLE … VALIDATE CONSTRAINT does that"
                )
            }
            + indexes.filter { !$0.isSound }.map {
                .failure(
                    "the index \($0.name) of \($0.table) is not valid: REINDEX makes it again")
            }
        return (
            "\(counted(constraints.count, "constraint")), \(indexes.count) indexes",
            findings
        )
    }
}
