internal import Lockstep

/// Every value of a column that the registry names has the form of a cell, whatever the table's constraints say.
enum ShapeCheck {
    static func run(
        _ schema: String, _ connection: borrowing ServerConnection
    ) throws -> CheckResult {
        let columns = try SealedRegistries(on: connection, schema: schema).columns
        var findings: [VerificationReport.Finding] = []
        for column in columns {
            guard let table = try ServerTable(column.table, in: schema, connection),
                table.detail(column.name)?.type == ServerType.bytea
            else {
                findings.append(.failure("the sealed column \(column.title) is no bytea of a table"))
                continue
            }
            let shape = ServerShape(table, column)
            let count: Int? = try connection.value(
                """
                SELECT pg_catalog.count(*) FROM \(verbatim: table.quotedName)
                WHERE NOT (\(verbatim: shape.condition))
                """)
            if let count, count > 0 {
                findings.append(
                    .failure(
                        "\(counted(count, "value")) of \(column.title) \(count == 1 ? "has" : "have") not the form of a cell: plaintext, or damage"
                    ))
            }
            if try !shape.stands(connection) {
                findings.append(
                    .failure(
                        "\(column.title) lacks its constraint or token columns, so that others can write plaintext into it"
                    ))
            }
        }
        return (counted(columns.count, "column"), findings)
    }
}
