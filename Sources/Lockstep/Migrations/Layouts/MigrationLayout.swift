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
    /// Prisma: one folder per version, `20240131120000_name`, with `migration.sql`.
    case prisma
    /// drizzle: `0000_name.sql` in the order of `meta/_journal.json`, or one folder per version with `migration.sql`.
    case drizzle
    /// Atlas: `20240131120000_name.sql`, with `atlas.sum`, which is checked.
    case atlas
    /// rusqlite_migration: one folder per version, `01-name`, with `up.sql` and optionally `down.sql`.
    case rusqlite
    /// npm's sqlite, node-pg-migrate and tern: `001-name.sql`, with `-- Up` and `-- Down` in the file.
    case markers
    /// No tool's own: `001-name.sql`, `20240131120000.sql`, `V0001.name.up.sql` and other names that begin with a
    /// number.
    case numbered
    /// The same for programs that run files in the order of their names, of which several can have one number:
    /// `0001_a.sql` and `0001_b.sql`. Never detected.
    case byName = "by-name"

    /// All of them, as a user types them.
    static let spellings = allCases.map(\.rawValue).joined(separator: ", ")

    /// The rules of its tool.
    var rules: any LayoutRules.Type {
        switch self {
        case .native: NativeLayout.self
        case .golangMigrate: GolangMigrateLayout.self
        case .dbmate: DbmateLayout.self
        case .goose: GooseLayout.self
        case .sqlx: SqlxLayout.self
        case .refinery: RefineryLayout.self
        case .diesel: DieselLayout.self
        case .flyway: FlywayLayout.self
        case .prisma: PrismaLayout.self
        case .drizzle: DrizzleLayout.self
        case .atlas: AtlasLayout.self
        case .rusqlite: RusqliteLayout.self
        case .markers: MarkersLayout.self
        case .numbered: NumberedLayout.self
        case .byName: ByNameLayout.self
        }
    }

    /// Whether any layout has its settings in files of this name.
    static func isSettings(_ name: Substring) -> Bool {
        allCases.contains { $0.rules.isSettings(name) }
    }
}

/// How a tool names, orders and divides its migration files.
protocol LayoutRules {
    /// How the comments that divide a file begin, in lower case and without the dashes; nil if no comment does.
    static var marker: String? { get }
    /// How deep below the folder its files can be.
    static var reach: MigrationFolder.Reach { get }
    /// Whether a file of this name, without folders, has settings for migrations.
    static func isSettings(_ name: Substring) -> Bool
    /// Whether version numbers can have gaps.
    static var allowsGaps: Bool { get }
    /// The version of a set's first draft; nil for the current time.
    static var firstVersion: String? { get }
    /// Whether the version of a draft is the current time even after a version that is a small number.
    static var alwaysUsesTime: Bool { get }
    /// The command of the tool that must make new versions because it keeps a record of them; nil if anyone can.
    static var maker: String? { get }

    static func read(_ sources: [MigrationSource]) throws(LockstepError) -> LayoutContents
    /// The text by which the tool orders a file, if the order is not numeric.
    static func orderingText(of path: String) -> String?
    /// A time as a version.
    /// - Parameter digits: Year to second, 14 digits.
    static func version(atTime digits: String) -> String
    /// The files of a new version: paths in the set's folder, and contents. Not called if there is a ``maker``.
    static func draft(
        _ version: String, _ name: String, in set: MigrationSet
    ) -> [(path: String, content: String)]
}

extension LayoutRules {
    static var marker: String? { nil }
    static var reach: MigrationFolder.Reach { .flat }
    static func isSettings(_ name: Substring) -> Bool { false }
    static var allowsGaps: Bool { true }
    static var firstVersion: String? { nil }
    static var alwaysUsesTime: Bool { false }
    static var maker: String? { nil }

    static func orderingText(of path: String) -> String? { nil }
    static func draft(
        _ version: String, _ name: String, in set: MigrationSet
    ) -> [(path: String, content: String)] { [] }
    static func version(atTime digits: String) -> String { digits }
}

/// The contents of a folder as a layout reads them.
struct LayoutContents {
    /// In any order.
    var versions: [MigrationFile] = []
    var repeatables: [MigrationFile] = []
    var baselines: [MigrationFile] = []
    /// Versions that the layout's tool runs as programs.
    var code: [ExternalCode] = []
    /// SQL files that the layout's own tool also ignores.
    var ignoredFiles: [String] = []
}
