internal import Lockstep

/// No column holds plaintext that nobody has named.
enum ExposureCheck {
    static func run(
        _ sets: [MigrationSet]?, _ schema: String, _ connection: borrowing ServerConnection
    ) throws -> CheckResult {
        let exposure = Exposure(schema: schema)
        guard try exposure.isHeld(connection) else {
            return ("nothing is sealed", [.notice("every column is plaintext: the server's operator reads all of it")])
        }
        let declared = sets.map(Exposure.declared) ?? []
        let unnamed = try exposure.unnamed(connection, by: .version(declared, made: []))
        var findings = unnamed.map {
            VerificationReport.Finding.failure(
                "\($0.title) holds plaintext, and nobody has said that it may: `-- lockstep: plaintext \($0.title)`")
        }
        if sets != nil {
            for column in try exposure.unnamed(connection, by: .sets(declared)) where !unnamed.contains(column) {
                findings.append(
                    .notice("\(column.title) holds plaintext, as the server alone says: no migration names it"))
            }
        }
        return ("\(counted(unnamed.count, "column")) unnamed", findings)
    }
}
