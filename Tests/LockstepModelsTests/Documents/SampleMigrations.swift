import Lockstep

/// What the plugin makes of the folders that the samples assume.
enum EmbeddedMigrations {
    static let names = ["films", "old-films", "users"]

    static var films: MigrationSet {
        get throws(LockstepError) { try MigrationSet(name: "films", files: [create]) }
    }

    static var oldFilms: MigrationSet {
        get throws(LockstepError) { try MigrationSet(name: "old-films", files: [create]) }
    }

    static var users: MigrationSet {
        get throws(LockstepError) {
            try MigrationSet(
                name: "users",
                files: [
                    (name: "0001_user.sql", content: "-- lockstep: up\nCREATE TABLE user (name TEXT PRIMARY KEY);\n")
                ])
        }
    }

    static func set(_ name: String) throws(LockstepError) -> MigrationSet? {
        switch name {
        case "films": try films
        case "old-films": try oldFilms
        case "users": try users
        default: nil
        }
    }

    /// The first version of the set films, as the README has it.
    static let create = (
        name: "0001_create.sql",
        content: """
        -- lockstep: up
        CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT NOT NULL, year INTEGER NOT NULL);

        """
    )
}
