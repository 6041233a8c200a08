/// The layout of a migration folder: the tool whose file names and markers it uses.
///
/// The files that each tool reads, and their order, follow the tool's documentation and source. A file that looks
/// like a version but would be ignored is an error here.
public enum MigrationLayout: String, Sendable, CaseIterable {
    /// Lockstep's own: `0001_name.sql`, with `-- lockstep: up` and `-- lockstep: down` in the file.
    case native
    /// golang-migrate: `1_name.up.sql` and `1_name.down.sql`.
    case golangMigrate = "golang-migrate"
    /// dbmate: `20240131120000_name.sql`, with `-- migrate:up` and `-- migrate:down` in the file.
    case dbmate
    /// goose: `00001_name.sql`, with `-- +goose Up` and `-- +goose Down` in the file.
    case goose
    /// sqlx: `1_name.sql`, or `1_name.up.sql` and `1_name.down.sql`.
    case sqlx
    /// refinery: `V1__name.sql`, or `U1__name.sql` for versions that can be applied late; also in subfolders.
    case refinery
    /// diesel: one folder per version, `2024-01-31-120000_name`, with `up.sql` and optionally `down.sql`.
    case diesel
    /// Flyway: `V1.2__name.sql`, `U1.2__name.sql` to undo it, `R__name.sql` to run whenever it has changed,
    /// `B1.2__name.sql` in place of all versions up to it; also in subfolders.
    case flyway

    /// Whether version numbers can have gaps: only the native layout is contiguous.
    var allowsGaps: Bool { self != .native }

    /// The text by which its tool orders a file, if the order is not numeric.
    func orderingText(of path: String) -> String? {
        switch self {
        case .dbmate: path
        case .diesel: String(path.prefix { $0 != "_" }.filter { $0 != "-" })
        default: nil
        }
    }

    /// How deep below the folder its files can be.
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

/// The contents of a folder as a layout reads them.
struct LayoutContents {
    /// In any order.
    var versions: [MigrationFile] = []
    var repeatables: [MigrationFile] = []
    var baselines: [MigrationFile] = []
    /// Versions that the layout's tool runs as programs.
    var code: [ForeignCode] = []
    /// SQL files that the layout's own tool also ignores.
    var ignoredFiles: [String] = []
}
