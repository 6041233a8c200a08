internal import Lockstep

/// No column holds plaintext that nobody has named.
enum ExposureCheck {
    static func run(
        _ schema: String, _ connection: borrowing ServerConnection
    ) throws -> CheckResult {
        let exposure = Exposure(schema: schema)
        guard try exposure.isHeld(connection) else {
            return ("nothing is sealed", [.notice("every column is plaintext: the server's operator reads all of it")])
        }
        let unnamed = try exposure.unnamed(connection)
        return (
            "\(counted(unnamed.count, "column")) unnamed",
            unnamed.map {
                .failure(
                    "\($0.title) holds plaintext, and nobody has said that it may: `-- lockstep: plaintext \($0.title)`"
                )
            }
        )
    }
}
