/// The settings in `V1__x.sql.conf` for `V1__x.sql`.
struct FlywaySettings {
    var runsInTransaction = true
    var replacesPlaceholders = true

    private static let ending = ".conf"

    /// Whether a file of this name has such settings.
    static func isName(_ name: Substring) -> Bool {
        name.asciiLowercased.ends(with: ".sql\(ending)")
    }

    /// The settings, by the path of the file that they apply to.
    static func all(
        in sources: [MigrationSource]
    ) throws(LockstepError) -> [ExactText: FlywaySettings] {
        var all: [ExactText: FlywaySettings] = [:]
        for source in sources where isName(source.name) {
            all[ExactText(String(source.path.dropLast(ending.utf8.count)))] = try FlywaySettings(source)
        }
        return all
    }
}

extension FlywaySettings {
    private init(_ source: MigrationSource) throws(LockstepError) {
        for line in try source.text().split(whereSeparator: \.isNewline) {
            let line = line.trimmingSpace()
            guard let first = line.first, first != "#", first != "!" else { continue }
            let sides = line.pieces(between: "=", atMost: 1).filter { !$0.isEmpty }.map {
                $0.trimmingSpace()
            }
            let key = sides.first.map { $0.rest(after: "flyway.") ?? $0 } ?? ""
            switch (key, sides.count == 2 ? sides[1].asciiLowercased : "") {
            case ("executeInTransaction", "true"): runsInTransaction = true
            case ("executeInTransaction", "false"): runsInTransaction = false
            case ("placeholderReplacement", "true"): replacesPlaceholders = true
            case ("placeholderReplacement", "false"): replacesPlaceholders = false
            case ("shouldExecute", "true"), ("encoding", "utf-8"): continue
            default:
                throw source.malformed(
                    "has a setting that this program does not support: \(key)",
                    hint: "supported are executeInTransaction and placeholderReplacement, " + "with true or false")
            }
        }
    }
}
