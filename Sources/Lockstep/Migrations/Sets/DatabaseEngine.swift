/// An engine that a migration set can be for.
///
/// One folder can serve several engines. In Lockstep's own layout a file for one engine alone has the engine's name
/// before `.sql`, as in `0002_constrain_ratings.postgres.sql`, and takes the place of `0002_constrain_ratings.sql`
/// there. A version of which every file names an engine exists for these engines alone. In folders of other tools such
/// a word chooses, too, where their files have any; otherwise the folder belongs to one engine as a whole.
public enum DatabaseEngine: String, Sendable, CaseIterable {
    /// An encrypted file.
    case sqlite
    /// A PostgreSQL server.
    case postgres

    /// The rules that divide its SQL into tokens.
    package var lexis: Lexis {
        switch self {
        case .sqlite: .sqlite
        case .postgres: .postgres
        }
    }

    /// Its name for people.
    package var title: String {
        switch self {
        case .sqlite: "SQLite"
        case .postgres: "PostgreSQL"
        }
    }
}

extension MigrationSet {
    /// Requires that the set was read for this engine: its files are chosen, and its checksums made, by the engine's
    /// rules.
    /// - Throws: ``LockstepError/Code/misuse``.
    package func require(_ wanted: DatabaseEngine) throws(LockstepError) {
        guard engine != wanted else { return }
        throw LockstepError(
            .misuse, "the set \(name) was read for \(engine.title), not for \(wanted.title)",
            hint: "read it with `engine: .\(wanted.rawValue)`", context: .init(set: name))
    }
}
