@testable import Lockstep

/// Folders of migrations in every layout, and in the detected one. The first byte selects the layout; then come the
/// files, each a line with its path followed by its content, separated by bytes 0x1E.
final class MigrationTarget: FuzzTarget {
    static let name = "migration"
    static let refusals: Set<LockstepError.Code> = [.migrationMalformed, .versionDuplicate]
    private static let separator: UInt8 = 0x1E

    func run(_ input: [UInt8]) throws {
        var input = FuzzInput(input)
        let choice = Int(input.byte())
        let sources = input.pieces(separatedBy: Self.separator).map(Self.source)
        let layouts = MigrationLayout.allCases
        let named = layouts.indices.contains(choice) ? layouts[choice] : nil
        let layout = try named ?? LayoutDetection.layout(of: sources)
        let contents = try layout.rules.read(sources)
        for file in contents.versions + contents.repeatables + contents.baselines {
            for script in [file.up, file.down].compactMap(\.self) { try check(script) }
        }
        let texts = sources.map {
            (name: $0.path, content: String(validating: $0.bytes, as: UTF8.self))
        }
        guard texts.allSatisfy({ $0.content != nil }) else { return }
        let set = try MigrationSet(name: "films", layout: named, files: texts.map { ($0.name, $0.content ?? "") })
        require(set.layout == layout, "two layouts are detected in one folder")
    }

    private static func source(_ piece: [UInt8]) -> MigrationSource {
        let end = piece.firstIndex(of: UInt8(ascii: "\n")) ?? piece.endIndex
        return MigrationSource(
            path: String(decoding: piece[..<end], as: UTF8.self), bytes: Array(piece[end...].dropFirst()))
    }

    /// The ledger keeps a script's text, without its layout.
    private func check(_ script: MigrationScript) throws {
        let origin = ScriptOrigin(file: "0001_a.sql")
        _ = outcome(Self.refusals) { try script.segments(origin) }
        let again = outcome(Self.refusals) {
            try MigrationFileParser.parseScript(script.text, origin)
        }
        guard case .success(let again) = again else {
            fatalError("a script that was read is refused from the ledger: \(again)")
        }
        let (one, other) = (meaning(script), meaning(again))
        require(one == other, "a script is read as another one from the ledger: \(one) and \(other)")
    }

    /// Directives, and SQL without insignificant parts.
    private func meaning(_ script: MigrationScript) -> [String] {
        var sql = ""
        var parts: [String] = []
        func close() {
            let text = SQLTokens.normalize(sql)
            if !text.isEmpty { parts.append(text) }
            sql = ""
        }
        for item in script.items {
            switch item.content {
            case .sql(let text): sql += text
            case .directive(let directive):
                close()
                parts.append("directive \(directive.spelling)")
            }
        }
        close()
        return parts
    }

    // MARK: Seeds

    static func seeds() -> [String: [UInt8]] {
        var seeds: [String: [UInt8]] = [:]
        let folders: [(MigrationLayout, [String])] = [
            (
                .native,
                [
                    "0001_a.sql\n-- lockstep: up\n-- lockstep: rebuild table movies\n"
                        + "-- lockstep: set likes = min(likes, 3)\nCREATE TABLE movies (likes INTEGER);\n"
                        + "-- lockstep: allow loss of table \"b c\"\n-- lockstep: down\nDROP TABLE movies;\n",
                    "0002_b.sql\n-- lockstep: up\n-- lockstep: backfill movies batch=1000\n"
                        + "UPDATE movies SET likes = 1 WHERE id BETWEEN :first AND :last;\n"
                        + "-- lockstep: protect movies.title dataset=films index=casefold:16 padding=32\n",
                ]
            ),
            (
                .golangMigrate,
                ["1_a.up.sql\nPRAGMA foreign_keys=off;\nCREATE TABLE a (b);", "1_a.down.sql\nDROP TABLE a;"]
            ),
            (.dbmate, ["20240131120000_a.sql\n-- migrate:up transaction:false\nVACUUM;\n-- migrate:down\nSELECT 1;"]),
            (
                .goose,
                [
                    "00001_a.sql\n-- +goose NO TRANSACTION\n-- +goose Up\n-- +goose StatementBegin\n"
                        + "CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END\n-- +goose StatementEnd\n"
                        + "-- +goose Down\nDROP TRIGGER t;",
                    "00002_b.go\n",
                ]
            ),
            (
                .sqlx,
                [
                    "1_a.sql\n-- no-transaction\nCREATE TABLE a (b);", "2_b.up.sql\nSELECT 1",
                    "2_b.down.sql\n;",
                ]
            ),
            (.refinery, ["V1__a.sql\nCREATE TABLE a (b);", "more/U2__b.sql\nSELECT '--';"]),
            (
                .diesel,
                [
                    "2024-01-31-120000_a/up.sql\nCREATE TABLE a (b);", "2024-01-31-120000_a/down.sql\nDROP TABLE a;",
                    "2024-01-31-120000_a/metadata.toml\nrun_in_transaction = false",
                ]
            ),
            (
                .flyway,
                [
                    "V1.2__a.sql\nCREATE TABLE a (b);",
                    "V1.2__a.sql.conf\nexecuteInTransaction=false",
                    "U1.2__a.sql\nDROP TABLE a;", "R__v.sql\nCREATE VIEW v AS SELECT 1;",
                    "B1.2__a.sql\nCREATE TABLE a (b);",
                ]
            ),
            (
                .prisma,
                ["20240131120000_a/migration.sql\nCREATE TABLE a (b);", "migration_lock.toml\nprovider = \"sqlite\""]
            ),
            (
                .drizzle,
                [
                    "0000_a.sql\nCREATE TABLE a (b);\n--> statement-breakpoint\nSELECT 1;",
                    "meta/_journal.json\n{\"entries\": [{\"idx\": 0, \"tag\": \"0000_a\"}]}",
                ]
            ),
            (
                .atlas,
                [
                    "20240101000000_create.sql\nCREATE TABLE a (x INTEGER PRIMARY KEY, y TEXT);\n",
                    "atlas.sum\nh1:uQ==\n20240101000000_create.sql h1:QhwoAcmuIbvV\n",
                ]
            ),
            (.rusqlite, ["01-a/up.sql\nCREATE TABLE a (b);", "01-a/down.sql\nDROP TABLE a;"]),
            (.markers, ["001-a.sql\n-- Up\nCREATE TABLE a (b);\n-- Down\nDROP TABLE a;"]),
            (.numbered, ["001.do.a.sql\nCREATE TABLE a (b);", "V2.b.sql\nSELECT 1;"]),
        ]
        for (layout, files) in folders {
            let number = MigrationLayout.allCases.firstIndex(of: layout) ?? 0
            let text = Array(files.map { Array($0.utf8) }.joined(separator: [separator]))
            seeds[layout.rawValue] = [UInt8(number)] + text
            seeds["\(layout.rawValue)-detected"] = [0xFF] + text
        }
        return seeds
    }
}
