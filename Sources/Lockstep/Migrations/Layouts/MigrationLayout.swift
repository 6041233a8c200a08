/// Whose file names and markers a folder of migrations uses.
///
/// What each tool reads, and in which order, is taken from its own documentation and source; a file that
/// looks like a version and would be overlooked is an error here.
public enum MigrationLayout: String, Sendable, CaseIterable {
    /// Lockstep's own: `0001_name.sql`, with `-- lockstep: up` and `-- lockstep: down` in it.
    case native
    /// golang-migrate: `1_name.up.sql` and `1_name.down.sql`.
    case golangMigrate = "golang-migrate"
    /// dbmate: `20240131120000_name.sql`, with `-- migrate:up` and `-- migrate:down` in it.
    case dbmate
    /// goose: `00001_name.sql`, with `-- +goose Up` and `-- +goose Down` in it.
    case goose
    /// sqlx: `1_name.sql`, or `1_name.up.sql` and `1_name.down.sql`.
    case sqlx
    /// refinery: `V1__name.sql`, or `U1__name.sql` for versions that may come late; also in subfolders.
    case refinery
    /// diesel: a folder a version, `2024-01-31-120000_name`, with `up.sql` and perhaps `down.sql`.
    case diesel
    /// Flyway: `V1.2__name.sql`, `U1.2__name.sql` that undoes it, `R__name.sql` that is run again
    /// whenever it changes, `B1.2__name.sql` that stands for all up to it; also in subfolders.
    case flyway

    /// Whether the numbers of versions may leave some out: only the native layout counts.
    var allowsGaps: Bool { self != .native }

    /// What its tool orders a file by, if that is text and not a number.
    func orderingText(of path: String) -> String? {
        switch self {
        case .dbmate: path
        case .diesel: String(path.prefix { $0 != "_" }.filter { $0 != "-" })
        default: nil
        }
    }

    /// How far below the folder its files may lie.
    var reach: MigrationFolder.Reach {
        switch self {
        case .diesel: .oneFolderEach
        case .refinery, .flyway: .tree
        case .native, .golangMigrate, .dbmate, .goose, .sqlx: .flat
        }
    }

    /// All of them, as a user types them.
    static let spellings = allCases.map(\.rawValue).joined(separator: ", ")

    func read(_ sources: [MigrationSource]) throws(LockstepError) -> LayoutContents {
        switch self {
        case .native: try NativeLayout.read(sources)
        case .golangMigrate: try GolangMigrateLayout.read(sources)
        case .dbmate: try DbmateLayout.read(sources)
        case .goose: try GooseLayout.read(sources)
        case .sqlx: try SqlxLayout.read(sources)
        case .refinery: try RefineryLayout.read(sources)
        case .diesel: try DieselLayout.read(sources)
        case .flyway: try FlywayLayout.read(sources)
        }
    }
}

/// What a layout makes of a folder.
struct LayoutContents {
    /// In any order.
    var versions: [MigrationFile] = []
    var repeatables: [MigrationFile] = []
    var baselines: [MigrationFile] = []
    /// Versions that its tool runs as programs.
    var code: [ForeignCode] = []
    /// SQL files that the layout's own tool ignores as well.
    var ignoredFiles: [String] = []
}
