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
            Instead of one, every file that fits the pattern, such as 'tenants/*.db': * stands for any \
            characters of a name, ? for one, ** for any number of folders. Quote it: it is expanded here. \
            Each file has its own keyring in the folder of the keyrings, or --keyring is everyone's.
            """, valueName: "pattern"))
    var fleet: String?

    @Option(help: "How many files of a fleet are worked on at a time. (default: one a processor)")
    var jobs: Int?

    func validate() throws {
        guard fleet != nil || jobs == nil else {
            throw ValidationError("--jobs belongs to --fleet")
        }
        guard jobs ?? 1 > 0 else { throw ValidationError("--jobs must be at least 1") }
        guard fleet == nil || database == nil else {
            throw ValidationError("--fleet names the databases: leave out --database")
        }
        if fleet == nil { _ = try path() }
    }

    /// The one database.
    func path() throws -> FilePath { try DatabaseOptions.path(database) }
}
