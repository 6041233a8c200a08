public import Lockstep

/// The schemas of the model stores, with their whole history, compiled into this module.
public enum ModelMigrations {
    /// The names of the sets, such as `movies`, in alphabetical order.
    public static var names: [String] { EmbeddedMigrations.names }

    /// The set with this name.
    /// - Parameters:
    ///   - name: One of ``names``.
    ///   - engine: The engine that it is for.
    /// - Throws: `LockstepError.Code.notFound` if there is no such set.
    public static func set(
        _ name: String, engine: DatabaseEngine = .sqlite
    ) throws(LockstepError) -> MigrationSet {
        guard let set = try EmbeddedMigrations.set(name, engine: engine) else {
            throw LockstepError(
                .notFound, "there is no model named \(name)", hint: "the models are \(names.joined(separator: ", "))")
        }
        return set
    }

    /// All sets.
    /// - Parameter engine: The engine that they are for.
    /// - Throws: `LockstepError.Code.migrationMalformed` if a file was compiled in that is not a valid migration.
    public static func all(
        engine: DatabaseEngine = .sqlite
    ) throws(LockstepError) -> [MigrationSet] {
        var sets: [MigrationSet] = []
        for name in names { sets.append(try set(name, engine: engine)) }
        return sets
    }
}
