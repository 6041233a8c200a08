import ArgumentParser
import SystemPackage

/// One database, or many.
struct TargetOptions: ParsableArguments {
    @Option(
        name: [.short, .long],
        help: "The database file. (default: the variable LOCKSTEP_DATABASE)")
    var database: String?

    @Option(
        help: ArgumentHelp(
            """
            Instead of one database, every file that matches the pattern, such as 'tenants/*.db': * matches any \
            characters in a name, ? matches one, ** matches any number of folders. Quote the pattern: the command \
            expands it. Each file has its own keyring, unless --keyring names one for all.
            """, valueName: "pattern"))
    var fleet: String?

    @OptionGroup var server: ServerTarget

    @Option(help: "How many files of a fleet to migrate at a time. (default: one per processor)") var jobs: Int?

    func validate() throws {
        guard fleet != nil || jobs == nil else {
            throw ValidationError("--jobs needs --fleet")
        }
        guard jobs ?? 1 > 0 else { throw ValidationError("--jobs must be at least 1") }
        guard fleet == nil || database == nil else {
            throw ValidationError("--fleet names the databases: leave out --database")
        }
        guard !server.isNamed || (database == nil && fleet == nil) else {
            throw ValidationError("--url names the database: leave out --database and --fleet")
        }
        if fleet == nil, !server.isNamed { _ = try path() }
    }

    /// The one database.
    func path() throws -> FilePath { try DatabaseOptions.path(database) }
}
