internal import Lockstep

/// The registry of sealed columns is authentic, and names every column that the migrations seal.
enum ServerRegistryCheck {
    static func run(
        _ sets: [MigrationSet]?, _ schema: String, _ connection: borrowing ServerConnection
    ) throws -> ServerVerification.CheckResult {
        let registries = try SealedRegistries(on: connection, schema: schema)
        var findings: [VerificationReport.Finding] = []
        var proven: Set<[UInt8]> = []
        if let fields = connection.fields {
            try fields.refresh(connection)
            proven = Set(registries.records.map(\.id).filter { fields.keys(of: $0) != nil })
        }
        for records in registries.records where !proven.contains(records.id) {
            findings.append(
                .notice(
                    "nothing proves what is sealed of the dataset \(Hex.encode(records.id.prefix(4)))…: its keys were not given"
                ))
        }
        let sealed = Set(registries.columns.map { SQLName($0.title) })
        for directive in try expected(sets, connection) {
            let title = "\(directive.change.table).\(directive.change.column)"
            // A later version can have renamed or dropped it.
            guard !sealed.contains(SQLName(title)),
                try ServerTable(directive.change.table, in: schema, connection)?
                    .detail(directive.change.column) != nil
            else { continue }
            findings.append(.failure("the migrations seal \(title), and the registry does not name it"))
        }
        return (
            registries.columns.isEmpty
                ? "nothing is sealed" : counted(registries.columns.count, "sealed column"),
            findings
        )
    }

    /// The columns that the applied versions of the sets seal.
    private static func expected(
        _ sets: [MigrationSet]?, _ connection: borrowing ServerConnection
    ) throws -> [SealingDirective] {
        let history = try ServerLedger(connection).history(connection)
        var sealed: [SealingDirective] = []
        for set in sets ?? [] {
            let applied = Set(history.entries.filter { $0.set == set.name }.map(\.version))
            for migration in set.migrations where applied.contains(migration.version) {
                guard case .file(let file) = migration else { continue }
                for case .directive(.sealing(let directive)) in file.up.items.map(\.content) {
                    sealed.removeAll {
                        SQLName($0.change.table) == SQLName(directive.change.table)
                            && SQLName($0.change.column) == SQLName(directive.change.column)
                    }
                    if directive.isProtection { sealed.append(directive) }
                }
            }
        }
        return sealed
    }
}
